"""Requests about subscriptions that are named by a page, a name, an id or a tag."""

import asyncio
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import typer

from schemas.codec.times import rfc3339
from schemas.records.pages import canonical_document, is_pages
from schemas.records.subscription_facts import Rejected, Subscribed, refusal_in
from schemas.records.subscriptions import Receiver, Subscription
from streams.cli.discovery import with_broker
from streams.cli.jobs.listing import Filter, read_subscriptions
from streams.cli.jobs.refusals import Refused, refused
from streams.cli.output import say

if TYPE_CHECKING:
    from connectors.kafka.pending_answers import RegisterAnswer
    from connectors.stores.pages import ListedSubscription
    from streams.settings import Settings

AT_ONCE = 20
"""Requests that are made at a time."""
MIN_ID = 6
"""Characters with which the beginning of an id is one."""
MOST_UNASKED = 10
"""Subscriptions that are changed without a question."""


@dataclass(frozen=True, slots=True)
class Asked:
    """The subscriptions of a manager that a command is about.

    ``target`` is a URL, a title, an id or its beginning; ``receiver`` may narrow them.
    """

    manager: str
    target: str | None = None
    tag: str | None = None
    every: bool = False
    receiver: Receiver | None = None

    def check(self) -> None:
        """Raise BadParameter unless it is said which subscriptions are meant, once."""
        ways = (self.target is not None, self.tag is not None, self.every)
        if ways.count(True) != 1:
            raise typer.BadParameter("give one of: a URL, name or id; --tag TAG; --all")

    def chosen(self, listed: Sequence["ListedSubscription"]) -> list[Subscription]:
        """Return those that are meant; raises LookupError if there is none, or no single id."""
        known = [(each.subscription, each.title) for each in listed]
        if self.receiver is not None:
            known = [each for each in known if each[0].receiver == self.receiver]
        found = [each for each, title in known if self._means(each, title)]
        if not found:
            meant = self.target or (f"with the tag {self.tag}" if self.tag else "at all")
            raise LookupError(f"there is no subscription {meant}; 'vokter list' shows all.")
        return found

    def _means(self, subscription: Subscription, title: str) -> bool:
        if self.target is None:
            return True  # the store has read those with the tag alone
        text = self.target
        is_id = len(text) >= MIN_ID and subscription.id.startswith(text.lower())
        is_title = text.casefold() == title.casefold()
        return is_id or is_title or subscription.url == document_of(text)


def document_of(text: str) -> str | None:
    """Return the canonical URL that a text names, https if it names no scheme; None if none.

    >>> document_of("example.org"), document_of("a name")
    ('https://example.org/', None)
    """
    return canonical_document(text if "://" in text or is_pages(text) else f"https://{text}")


async def ask_each(
    settings: "Settings",
    asked: Asked,
    action: str,
    done: str,
    *,
    yes: bool,
) -> None:
    """Make a request about each subscription that is meant, and say what became of each.

    ``done`` is said of those that were granted. Asks first if they are many. Raises Refused if one
    was refused, LookupError if none is meant.
    """
    from connectors.requests.identity import request_about
    from streams.cli.progress import waiting
    from streams.effects.connections import request_sender

    asked.check()
    listed = await read_subscriptions(settings, asked.manager, Filter(tag=asked.tag or ""))
    chosen = asked.chosen(listed)
    most = 1 if action == "cancel" else MOST_UNASKED
    if len(chosen) > most and not yes:
        typer.confirm(f"{action} {len(chosen)} subscriptions?", abort=True)
    requests = [replace(request_about(each, action), manager=asked.manager) for each in chosen]
    answers: list[RegisterAnswer] = []
    async with waiting("waiting for match"), request_sender(with_broker(settings)) as client:
        for at in range(0, len(requests), AT_ONCE):
            answers += await asyncio.gather(*map(client.ask, requests[at : at + AT_ONCE]))
    failed = 0
    for subscription, request, answer in zip(chosen, requests, answers, strict=True):
        if isinstance(answer, Rejected):
            failed += 1
            say(str(refused(request, refusal_in(answer))))
        else:
            say(done_text(done, subscription.document_url, answer))
    if failed:
        raise Refused(f"{failed} of {len(chosen)} requests were refused.")


def done_text(done: str, url: str, answer: "RegisterAnswer") -> str:
    """Return what is said of a request that was granted: ``done`` with the URL and the time."""
    check = answer.check if isinstance(answer, Subscribed) else 0
    return done.format(url, rfc3339(check))
