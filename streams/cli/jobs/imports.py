"""Lines of an export, and watches of another tool, as subscriptions of a deployment."""

import asyncio
import json
from collections.abc import AsyncIterator, Iterable, Sequence
from dataclasses import dataclass, replace
from itertools import islice
from typing import Any, BinaryIO

from connectors.imports.draft import ImportedWatch
from connectors.imports.names import Tool
from connectors.imports.tools import read_watches
from connectors.kafka.reading import messages_since
from connectors.kafka.requests import RequestSender, RequestTimedOut
from schemas.codec.json_requests import present_json
from schemas.codec.json_values import InvalidRequestBody
from schemas.codec.signing import has_secret, secret_of
from schemas.codec.wire import decode
from schemas.records.codes import Code
from schemas.records.requests import Pause, Resume
from schemas.records.subscription_facts import Rejected, Subscribed
from schemas.records.subscriptions import Receiver, Subscription
from schemas.records.table_rows import Registration
from schemas.records.urls import canonical
from streams.agents.match.register.memory import NO_REGISTRATIONS
from streams.agents.match.register.requests import CheckedRequest, Rules, check
from streams.agents.match.register.transfer import Wish, agrees, read
from streams.cli.progress import counted
from streams.effects.connections import kafka_access
from streams.settings import Settings
from streams.values.agent import changelog_topic

AHEAD = 200
"""Requests in wait for answers at the same time."""
MAX_READ = 100_000_001
"""The most bytes to read of a file: one more than the limit."""
PLACEHOLDER = "{watch}"

Known = dict[bytes, bytes]
"""The register's rows with a subscription, by their keys."""


async def registered_rows(settings: Settings) -> Known:
    """Read the register's changelog, which is complete; the store's listing may lag.

    Pages of a crawl are left out: no client has asked for them.
    """
    topic = changelog_topic(settings.topic_prefix, "match", "subscriptions")
    messages = messages_since(kafka_access(settings), topic)
    found: Known = {}
    async for message in counted(messages, "reading subscriptions"):
        if message.key.startswith(NO_REGISTRATIONS):
            continue
        row = decode(message.value, Registration) if message.value else None
        if row is not None and row.subscription is not None and row.subscription.coverage is None:
            found[message.key] = message.value
        else:
            found.pop(message.key, None)
    return found


def subscription_in(row: bytes) -> Subscription:
    """Return the subscription in any of these rows."""
    subscription: Subscription | None = decode(row, Registration).subscription
    assert subscription is not None, "only rows with one are kept"
    return subscription


@dataclass(frozen=True, slots=True)
class Import:
    """Imports lines into a deployment with the subscriptions ``known``.

    ``change`` replaces different subscriptions; with a ``key`` results have the webhooks' secrets.
    """

    client: RequestSender
    known: Known
    manager: str | None
    change: bool
    key: bytes | None

    async def all(self, lines: Iterable[bytes]) -> AsyncIterator[dict[str, Any]]:
        """Yield the result of each non-blank line, in order."""
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
            **({"name": request.name} if request.name else {}),
            **present_json(request.receiver),
        }

    async def _result(self, wish: Wish) -> dict[str, Any]:
        # The register says why a request is refused, by the rules of the deployment.
        checked = check(wish.request, Rules(0))
        found: Subscription | None = None
        if isinstance(checked, CheckedRequest) and (row := self.known.get(checked.target.key)):
            found = subscription_in(row)
            if agrees(found, checked, paused=wish.paused):
                return {"result": "unchanged", **self._result_of(found)}
        if found is not None and not self.change:
            detail = "a different subscription exists; --replace changes it"
            return {"result": "different", "id": found.id, "detail": detail}
        try:
            return await self._ask(wish, "subscribed" if found is None else "replaced")
        except RequestTimedOut as error:
            # Subscribed it may be, and not yet paused.
            detail = f"{error}; import it again, with --replace if it is different then"
            return {"result": "unanswered", "detail": detail}

    async def _ask(self, wish: Wish, done: str) -> dict[str, Any]:
        answer = await self.client.ask(replace(wish.request, replace=self.change))
        if isinstance(answer, Rejected):
            return refused_result(answer)
        assert isinstance(answer, Subscribed), "a Subscribe is answered by Subscribed or Rejected"
        subscription = answer.subscription
        if subscription.paused != wish.paused:
            kind = Pause if wish.paused else Resume
            page, name = (subscription.document_url, subscription.receiver), subscription.name
            paused = await self.client.ask(kind(*page, manager=subscription.manager, name=name))
            if isinstance(paused, Rejected):
                return refused_result(paused)
        return {"result": done, **self._result_of(subscription)}

    def _result_of(self, subscription: Subscription) -> dict[str, Any]:
        result = {"id": subscription.id}
        if self.key is not None and has_secret(subscription):
            result["secret"] = secret_of(self.key, subscription) or ""
        return result


def refused_result(answer: Rejected) -> dict[str, Any]:
    """Return the result of a refused line."""
    result = "different" if answer.code == Code.CONFLICT else "refused"
    return {"result": result, "code": answer.code, "detail": Code(answer.code).text(answer.detail)}


@dataclass(frozen=True, slots=True)
class AskedWatch:
    """A watch with its request, None if not possible."""

    watch: ImportedWatch
    request: dict[str, Any] | None

    @property
    def named(self) -> dict[str, Any]:
        """Return the watch's id and name in its tool, as a result has them."""
        return {"watch": self.watch.key, "name": self.watch.name}

    @property
    def remarks(self) -> dict[str, Any]:
        """Return the taken, different and omitted parts of the watch."""
        watch = self.watch
        return {"took": watch.took, "differs": watch.differs, "left": watch.left}


def asked_watches(
    tool: Tool, file: BinaryIO, config: BinaryIO | None, receiver: Receiver, interval: int
) -> list[AskedWatch]:
    """Read a file, and ask for each watch with a receiver; raises UnreadableImport.

    ``interval`` (seconds) is for watches without an interval.
    """
    defaults = None if config is None else config.read(MAX_READ)
    known: dict[tuple[str | None, Receiver, str], str] = {}
    found = []
    for watch in read_watches(tool, file.read(MAX_READ), defaults):
        if watch.request is None:
            found.append(AskedWatch(watch, None))
            continue
        if receiver.client_url is None:
            own = Receiver(session=str(receiver.session).replace(PLACEHOLDER, watch.key))
        else:
            own = Receiver(receiver.client_url.replace(PLACEHOLDER, watch.key))
        url = canonical(watch.request["documentUrl"])
        first = known.setdefault((url, own, watch.request.get("name", "")), watch.key)
        if first == watch.key:
            request = {"interval": interval, **watch.request, **present_json(own)}
            found.append(AskedWatch(watch, request))
        else:
            found.append(AskedWatch(_left_out(watch, first), None))
    return found


async def watch_outcomes(
    asked: Sequence[AskedWatch], importing: Import
) -> AsyncIterator[dict[str, Any]]:
    """Subscribe, and yield the result of each watch in order."""
    there = set(importing.known)
    wanted = (each.request for each in asked if each.request is not None)
    requests = [_as_before(each, there, importing.manager) for each in wanted]
    lines = [json.dumps(each).encode() for each in requests]
    results = importing.all(lines)
    for each in asked:
        outcome = {"result": "left"} if each.request is None else await anext(results)
        outcome.pop("line", None)
        yield each.named | outcome | each.remarks


def _as_before(request: dict[str, Any], there: set[bytes], manager: str | None) -> dict[str, Any]:
    """Return a request, without a name if an earlier import made its subscription without a name.

    ``there`` are the keys of the register's rows of which no other watch of the file is.
    """
    plain = {name: value for name, value in request.items() if name != "name"}
    named_key, plain_key = _key_of(request, manager), _key_of(plain, manager)
    if named_key in there or plain_key not in there:
        return request
    there.discard(plain_key)
    return plain


def _key_of(request: dict[str, Any], manager: str | None) -> bytes | None:
    try:
        checked = check(read(json.dumps(request).encode(), manager).request, Rules(0))
    except InvalidRequestBody:
        return None
    return checked.target.key if isinstance(checked, CheckedRequest) else None


def _left_out(watch: ImportedWatch, first: str) -> ImportedWatch:
    """Leave out a watch equal to an earlier subscription."""
    why = (
        f"the watch: a receiver has one subscription of a URL with a name, and watch {first} has "
        f"this URL and name; give one of them another name, or write {PLACEHOLDER} in --to or "
        "--session to give each watch a receiver."
    )
    return replace(watch, request=None, left=(*watch.left, why))
