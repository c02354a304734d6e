"""GET /evidence/ID: the origin of a notification, signed for proof.

The statement has the notification, its change, and the hashes of the received bytes and of their
texts; the statement is signed. The texts are attached.
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from aiohttp import web

from connectors.access.callers import caller
from connectors.api.answers import answer
from connectors.api.history.facts import fact_json
from connectors.evidence_key import EvidenceKey, SignatureRefused, key_id, signed_statement
from connectors.reads.page_changes import (
    SnapshotsAround,
    hashed_snapshot,
    load_change_of_page,
    load_snapshots_around,
    text_hash,
)
from connectors.serving.sending import SENDER, send_json
from connectors.stores.ports import FactReader, SubscriptionReader, TextReader
from schemas.codec.times import rfc3339
from schemas.records.codes import Code
from schemas.records.notifications import Notification
from schemas.records.pages import is_pages
from schemas.records.subscriptions import Subscription

SECRET = ("clientUrl", "session", "name", "tags")
"""Fields of a notification for its receiver alone: the address of a webhook may be a secret."""
SIDES = ("before", "after")


@dataclass(frozen=True, slots=True)
class EvidenceSource:
    """Reads the parts of evidence, signs them with ``key``, and dates them by ``clock`` (ms)."""

    subscriptions: SubscriptionReader
    facts: FactReader
    texts: TextReader
    key: EvidenceKey
    clock: Callable[[], int]

    async def load(self, manager: str, notification: str) -> Callable[[], dict[str, Any]] | None:
        """Load the evidence of a manager's notification (its id).

        Returns a function to build the evidence, slow for large texts; None if the notification is
        deleted.
        """
        notified = await self.facts.notification(manager, notification)
        if notified is None:
            return None
        change, around = None, SnapshotsAround()
        listed = await self.subscriptions.get(manager, notified.subscription)
        if listed is not None:
            one, change = await self._change(listed.subscription, notified)
            around = await load_snapshots_around(self.texts, one, change)
        made = self.clock()
        return lambda: self._evidence(statement_of(notified, change, around, made), around)

    async def _change(
        self, subscription: Subscription, notified: Notification
    ) -> tuple[Subscription, Any]:
        """Load a notification's change, with the subscription of its view."""
        if is_pages(subscription.url):
            found = await load_change_of_page(self.subscriptions, self.facts, notified)
            return found or (subscription, None)
        url = notified.document or subscription.url
        asked = subscription.manager, url, notified.change, subscription.id
        return subscription, await self.facts.change(*asked)

    def _evidence(self, statement: dict[str, Any], around: SnapshotsAround) -> dict[str, Any]:
        sides = around.before, around.after
        texts = {side: found and found[1] for side, found in zip(SIDES, sides, strict=True)}
        signature = self.key.sign(statement)
        key = self.key.public
        return {"statement": statement, "signature": signature, "key": key, "texts": texts}


class EvidenceHandlers:
    """The handlers of evidence, and of the key for its signature."""

    def __init__(self, source: EvidenceSource) -> None:
        """Answer from ``source``."""
        self._source = source

    async def evidence(self, request: web.Request) -> web.StreamResponse:
        """Answer with the evidence of a notification."""
        build = await self._source.load(caller(request).manager, request.match_info["id"])
        if build is None:
            return answer(Code.UNKNOWN)
        return await send_json(request, await request.app[SENDER].render(build))

    async def key(self, request: web.Request) -> web.StreamResponse:
        """Answer with the public key."""
        return web.json_response(self._source.key.public)


def statement_of(
    notification: Notification, change: Any, around: SnapshotsAround, made: int
) -> dict[str, Any]:
    """Return the signed part, ``made`` at a time (epoch ms): a deleted change is None."""
    shown = fact_json(notification)
    return {
        "made": rfc3339(made),
        "notification": {name: shown[name] for name in shown if name not in SECRET},
        "change": None if change is None else _change(change),
        "before": hashed_snapshot(around.before),
        "after": hashed_snapshot(around.after),
    }


def check_evidence(evidence: Any, expected_key: str | None = None) -> dict[str, Any]:
    """Return the statement of evidence if the signature is valid.

    Raises SignatureRefused.

    With an ``expected_key``, its thumbprint, only signatures of this key.
    """
    match evidence:
        case {"statement": {}, "signature": str(), "key": {"kid": str()}, "texts": {}}:
            pass
        case _:
            raise SignatureRefused("This is no evidence of Vokter.")
    found = key_id(evidence["key"])
    if evidence["key"]["kid"] != found:
        raise SignatureRefused(f"The key's id is not the one that the file names: it is {found}.")
    if expected_key is not None and found != expected_key:
        raise SignatureRefused(f"It was signed with another key: {found}.")
    statement: dict[str, Any] = signed_statement(evidence["signature"], evidence["key"])
    if statement != evidence["statement"]:
        raise SignatureRefused("The statement is not the one that was signed.")
    for side in SIDES:
        text = evidence["texts"].get(side)
        if _signed_hash(statement, side) != (None if text is None else text_hash(str(text))):
            raise SignatureRefused(f"The text {side} the change is not the one that was signed.")
    return statement


def _signed_hash(statement: dict[str, Any], side: str) -> str | None:
    match statement.get(side, ""):
        case None:
            return None
        case {"sha256": str(signed)}:
            return signed
    raise SignatureRefused(f"This is no evidence of Vokter: {side!r} is not in its statement.")


def _change(fact: Any) -> dict[str, Any]:
    shown = fact_json(fact)
    del shown["regions"]
    return {**shown, "due": rfc3339(fact.slot), "view": fact.view}
