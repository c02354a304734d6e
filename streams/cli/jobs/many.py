"""Requests about subscriptions by a page, a name, an id or a tag."""

import asyncio
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import typer

from schemas.codec.times import rfc3339
from schemas.records.pages import canonical_document, is_pages
from schemas.records.requests import ClientRequest
from schemas.records.subscription_facts import Rejected, Subscribed, refusal_in
from schemas.records.subscriptions import Receiver, Subscription
from streams.cli.discovery import with_broker
from streams.cli.jobs.listing import Filter, read_subscriptions
from streams.cli.jobs.refusals import Refused, refused
from streams.cli.options import ANSWER_TIMEOUT_S
from streams.cli.output import say

if TYPE_CHECKING:
    from connectors.kafka.pending_answers import RegisterAnswer
    from connectors.kafka.requests import RequestSender
    from connectors.stores.pages import ListedSubscription
    from streams.settings import Settings

MOST_UNASKED = 10
"""Subscriptions changed without a question."""
DONE, REFUSED, UNANSWERED = "done", "refused", "without an answer"


@dataclass(frozen=True, slots=True)
class SubscriptionChoice:
    """The subscriptions of a manager for a command.

    ``target`` is a URL, a name or title, an id or its beginning; ``receiver`` and ``name`` may
    narrow them, ``stopped`` leaves only those with a stop that can be undone.
    """

    manager: str
    target: str | None = None
    tag: str | None = None
    every: bool = False
    receiver: Receiver | None = None
    name: str | None = None
    stopped: bool = False

    def check(self) -> None:
        """Raise BadParameter unless the subscriptions are named once."""
        ways = (self.target is not None, self.tag is not None, self.every)
        if ways.count(True) != 1:
            raise typer.BadParameter("give one of: a URL, name or id; --tag TAG; --all")

    def chosen(self, listed: Sequence["ListedSubscription"]) -> list[Subscription]:
        """Return the chosen subscriptions; raises LookupError if there is none, or no single id."""
        known = [(each.subscription, each.title) for each in listed]
        if self.stopped:
            known = [each for each in known if each[0].stopped]
            if not known:
                raise LookupError(
                    f"No subscription of {self.manager} was stopped in the last minute; "
                    "'vokter list', which may lag by some seconds, shows what can be undone."
                )
        if self.receiver is not None:
            known = [each for each in known if each[0].receiver == self.receiver]
        if self.name is not None:
            known = [each for each in known if each[0].name == self.name]
        # Without a target, the store has read those with the tag alone.
        target = self.target
        found = [each for each, _ in known] if target is None else _named(target, known)
        if target is not None and not found:
            from streams.cli.setup.existing_store import the_id

            by_id = {each.id: each for each, _ in known}
            found = [by_id[the_id(by_id, self.manager, target)]]
        if not found:
            meant = f"with the tag {self.tag}" if self.tag else f"of {self.manager}"
            raise LookupError(f"There is no subscription {meant}; 'vokter list' shows all.")
        return found


def _named(text: str, known: Sequence[tuple[Subscription, str]]) -> list[Subscription]:
    """Return the subscriptions with a name, and those of a page with a URL or title."""
    url, name = document_of(text), text.casefold()
    return [
        each
        for each, title in known
        if each.url == url or name in (each.name.casefold(), title.casefold())
    ]


def document_of(text: str) -> str | None:
    """Return the canonical URL of a text, https without a scheme; None if there is none.

    >>> document_of("example.org"), document_of("a name")
    ('https://example.org/', None)
    """
    return canonical_document(text if "://" in text or is_pages(text) else f"https://{text}")


async def ask_each(
    settings: "Settings",
    asked: SubscriptionChoice,
    action: str,
    done: str,
    fields: Mapping[str, bool],
    *,
    yes: bool,
) -> None:
    """Make a request about each chosen subscription, and print each outcome as soon as known.

    ``done`` is the text for granted requests, ``fields`` are the action's. Asks first if they
    are many. Raises Refused unless all are granted, LookupError if none is chosen.
    """
    from connectors.requests.bulk import AT_ONCE
    from connectors.requests.identity import request_about
    from streams.cli.progress import waiting
    from streams.effects.connections import request_sender

    listed = await read_subscriptions(settings, asked.manager, Filter(tag=asked.tag or ""))
    chosen = asked.chosen(listed)
    most = 1 if action == "cancel" else MOST_UNASKED
    if len(chosen) > most and not yes:
        typer.confirm(f"{action} {len(chosen)} subscriptions?", abort=True)
    requests = [
        replace(request_about(each, action, **fields), manager=asked.manager) for each in chosen
    ]
    counts: Counter[str] = Counter()
    sender = request_sender(with_broker(settings), timeout_s=ANSWER_TIMEOUT_S)
    async with waiting("waiting for match"), sender as client:
        for at in range(0, len(requests), AT_ONCE):
            part = requests[at : at + AT_ONCE]
            for outcome, line in await asyncio.gather(*(_ask(client, each, done) for each in part)):
                counts[outcome] += 1
                say(line)
            if counts[UNANSWERED]:
                counts["not made"] = len(requests) - counts.total()  # it would wait, too
                break
    if failed := [f"{count} {each}" for each, count in counts.items() if count and each != DONE]:
        raise Refused(f"Of {len(requests)} requests: {', '.join(failed)}.")


async def _ask(client: "RequestSender", request: ClientRequest, done: str) -> tuple[str, str]:
    """Make a request, and return its outcome and the line about it."""
    from connectors.kafka.requests import RequestTimedOut

    try:
        answer = await client.ask(request)
    except RequestTimedOut as error:
        return UNANSWERED, f"{request.document_url}: {error}"
    if isinstance(answer, Rejected):
        return REFUSED, str(refused(request, refusal_in(answer)))
    return DONE, done_text(done, request.document_url, answer)


def done_text(done: str, url: str, answer: "RegisterAnswer") -> str:
    """Return the text for a granted request: ``done`` with the URL and the time."""
    check = answer.check if isinstance(answer, Subscribed) else 0
    return done.format(url, rfc3339(check))
