"""``vokter export`` and ``vokter import``: subscriptions out of a deployment, and into one."""

import asyncio
from collections import Counter
from collections.abc import AsyncIterator, Callable, Iterable
from dataclasses import dataclass, replace
from itertools import islice
from typing import Any

from connectors.kafka.reading import messages_since
from connectors.kafka.requests import RequestSender, RequestTimedOut
from schemas.codec.json_requests import present_json
from schemas.codec.json_values import InvalidRequestBody
from schemas.codec.signing import has_secret, secret_of
from schemas.codec.wire import decode
from schemas.records.codes import Code
from schemas.records.requests import Pause, Resume
from schemas.records.subscription_facts import Rejected, Subscribed
from schemas.records.subscriptions import Subscription
from schemas.records.table_rows import Registration
from streams.agents.match.register.cases import row_key
from streams.agents.match.register.memory import NO_REGISTRATIONS
from streams.agents.match.register.requests import CheckedRequest, Rules, check
from streams.agents.match.register.transfer import Wish, agrees, read, written
from streams.cli.output import print_json, say
from streams.cli.progress import counted, progress
from streams.cli.setup.preparation import deployed_signing_key
from streams.effects.connections import kafka_access, request_sender
from streams.settings import Settings
from streams.values.topics import changelog_topic

AHEAD = 200
"""Requests that wait for answers at the same time."""
DONE = {"subscribed", "replaced", "unchanged"}

Known = dict[bytes, bytes]
"""The register's rows that have a subscription, by their keys."""


class NotAllImported(Exception):
    """Some lines were not imported; the result of each says why."""


async def export_all(settings: Settings, manager: str | None) -> None:
    """Print the subscriptions of one manager or of all, ordered by document."""
    known, count = await _registered(settings), 0
    with progress("writing", len(known)) as advance:
        for key in sorted(known):
            subscription = decode(known[key], Registration).subscription
            assert subscription is not None, "only rows with one are kept"
            advance(1)
            if manager in {None, subscription.manager}:
                print_json(written(subscription))
                count += 1
    say(f"{count} subscriptions.")


async def import_all(
    settings: Settings,
    outcomes: Callable[["Import"], AsyncIterator[dict[str, Any]]],
    manager: str | None,
    change: bool,
    secrets: bool,
) -> None:
    """Subscribe as ``outcomes`` does it, and print each result as a line of JSON.

    Raises NotAllImported at the end if some lines were not imported.
    """
    known = await _registered(settings)
    key = await deployed_signing_key(settings) if secrets else None
    counts: Counter[str] = Counter()
    async with request_sender(settings) as client:
        with progress("importing") as advance:
            async for outcome in outcomes(Import(client, known, manager, change, key)):
                print_json(outcome)
                counts[outcome["result"]] += 1
                advance(1)
    say(", ".join(f"{count} {result}" for result, count in sorted(counts.items())) or "No lines.")
    left = sum(count for result, count in counts.items() if result not in DONE)
    if left:
        raise NotAllImported(f"{left} lines were not imported; see their results")


@dataclass(frozen=True, slots=True)
class Import:
    """Imports lines into a deployment with the subscriptions ``known``.

    ``change`` replaces those that differ; with a ``key`` results have the webhooks' secrets.
    """

    client: RequestSender
    known: Known
    manager: str | None
    change: bool
    key: bytes | None

    async def all(self, lines: Iterable[bytes]) -> AsyncIterator[dict[str, Any]]:
        """Yield the result of each line that is not blank, in order."""
        numbered = ((number, line) for number, line in enumerate(lines, 1) if line.strip())
        while batch := list(islice(numbered, AHEAD)):
            for outcome in await asyncio.gather(*(self._one(*each) for each in batch)):
                yield outcome

    async def _one(self, number: int, line: bytes) -> dict[str, Any]:
        try:
            wish = read(line, self.manager)
        except InvalidRequestBody as error:
            return {"line": number, "result": "invalid", "detail": str(error)}
        request = wish.request
        return {
            "line": number,
            **await self._result(wish),
            "documentUrl": request.document_url,
            **present_json(request.receiver),
        }

    async def _result(self, wish: Wish) -> dict[str, Any]:
        # The register says why a request is refused, by the rules of the deployment.
        checked = check(wish.request, Rules(0))
        found: Subscription | None = None
        if isinstance(checked, CheckedRequest) and (row := self.known.get(row_key(checked.target))):
            found = decode(row, Registration).subscription
            assert found is not None, "only rows with one are kept"
            if agrees(found, checked, paused=wish.paused):
                return {"result": "unchanged", **self._result_of(found)}
        if found is not None and not self.change:
            detail = "a different subscription exists; --replace changes it"
            return {"result": "different", "id": found.id, "detail": detail}
        try:
            return await self._ask(wish, "subscribed" if found is None else "replaced")
        except RequestTimedOut as error:
            return {"result": "unanswered", "detail": f"{error}; import it again"}

    async def _ask(self, wish: Wish, done: str) -> dict[str, Any]:
        answer = await self.client.ask(replace(wish.request, replace=self.change))
        if isinstance(answer, Rejected):
            result = "different" if answer.code == Code.CONFLICT else "refused"
            detail = Code(answer.code).text(answer.detail)
            return {"result": result, "code": answer.code, "detail": detail}
        assert isinstance(answer, Subscribed), "a Subscribe is answered by Subscribed or Rejected"
        subscription = answer.subscription
        if subscription.paused != wish.paused:
            kind = Pause if wish.paused else Resume
            target = subscription.document_url, subscription.receiver
            await self.client.ask(kind(*target, manager=subscription.manager))
        return {"result": done, **self._result_of(subscription)}

    def _result_of(self, subscription: Subscription) -> dict[str, Any]:
        result = {"id": subscription.id}
        if self.key is not None and has_secret(subscription):
            result["secret"] = secret_of(self.key, subscription) or ""
        return result


async def _registered(settings: Settings) -> Known:
    """Read the register's changelog, which is complete; the store's listing may lag."""
    topic = changelog_topic(settings.topic_prefix, "match", "subscriptions")
    found: Known = {}
    async for message in counted(
        messages_since(kafka_access(settings), topic), "reading subscriptions"
    ):
        if message.key.startswith(NO_REGISTRATIONS):
            continue
        if message.value and _is_asked_for(decode(message.value, Registration).subscription):
            found[message.key] = message.value
        else:
            found.pop(message.key, None)
    return found


def _is_asked_for(subscription: Subscription | None) -> bool:
    """Whether a client has asked for a subscription; pages that a crawl covers follow from it."""
    return subscription is not None and subscription.coverage is None
