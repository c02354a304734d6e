"""GET /changes, /notifications and /deliveries, from the read side, which may lag."""

from functools import partial
from typing import Any

from aiohttp import web
from msgspec import to_builtins

from connectors.access.callers import caller
from connectors.api.answers import answer
from connectors.api.paging import asked_url, page_response
from connectors.stores.pages import ListingPage, NewsSearch
from connectors.stores.ports import FactReader
from schemas.codec.body import diff_json, number_json, returned_json, share_json, stood_json
from schemas.codec.json_requests import present_json
from schemas.codec.times import rfc3339
from schemas.records.changes import Change, DocumentChanged
from schemas.records.codes import Code
from schemas.records.deliveries import (
    AttemptFailed,
    Delivered,
    DeliveryFailed,
    DeliveryHeld,
    DeliveryOutcome,
)
from schemas.records.notifications import Notification
from schemas.records.statuses import STATUSES
from schemas.records.tags import canonical_tag

MAX_TEXT = 256
"""The most characters of a searched text."""
_STATUSES: dict[type[Any], str] = {DocumentChanged: "ok", **STATUSES}


class HistoryHandlers:
    """The handlers of the history."""

    def __init__(self, facts: FactReader) -> None:
        """Read from ``facts``."""
        self._facts = facts

    async def changes(self, request: web.Request) -> web.StreamResponse:
        """Answer with a page of a document's changes while watched by the caller."""
        manager, url = caller(request).manager, asked_url(request)
        subscription = request.query.get("subscription")

        async def read(after: str | None, limit: int) -> ListingPage[Any] | None:
            return await self._facts.changes(manager, url, after, limit, subscription)

        return await page_response(request, "changes", read, fact_json)

    async def notifications(self, request: web.Request) -> web.StreamResponse:
        """Answer with a page of the notifications of a client, or of all the manager's clients."""
        asked = NewsSearch(
            client=request.query.get("client", ""),
            tag=canonical_tag(request.query.get("tag", "")),
            text=request.query.get("q", "").strip()[:MAX_TEXT],
        )
        read = partial(self._facts.news, caller(request).manager, asked)
        return await page_response(request, "notifications", read, fact_json)

    async def deliveries(self, request: web.Request) -> web.StreamResponse:
        """Answer with a page of the outcomes of a webhook's notifications."""
        client = request.query.get("client")
        if not client:
            return answer(Code.INVALID_CLIENT_URL)
        read = partial(self._facts.of_client, "delivery", caller(request).manager, client)
        return await page_response(request, "deliveries", read, fact_json)


def fact_json(fact: Any) -> dict[str, Any]:
    """Return a fact in the form of the API, a change's regions as an iterator.

    Raises TypeError for a fact outside the API.
    """
    match fact:
        case Notification():
            return _notification(fact)
        case _ if isinstance(fact, Change):
            return _change(fact)
        case _ if isinstance(fact, DeliveryOutcome):
            return _delivery(fact)
    raise TypeError(f"the API does not show a {type(fact).__name__}")


def _notification(fact: Notification) -> dict[str, Any]:
    return {
        "id": fact.id,
        "change": fact.change,
        "subscription": fact.subscription,
        **present_json(fact.receiver),
        "status": fact.status,
        "url": fact.url,
        "document": fact.document or None,
        "documentContentType": fact.content_type,
        "diffs": list(map(diff_json, fact.diffs)),
        "name": fact.name,
        "title": fact.title,
        "returned": returned_json(fact.returned),
        "reason": fact.reason or None,
        "pictureChange": share_json(fact.picture_change),
        "truncated": fact.truncated,
        "test": fact.test,
        "tags": list(fact.tags),
        "pages": fact.pages or None,
        "number": number_json(fact.number),
        "stood": stood_json(fact.stood),
        "history": fact.history,
        "verdict": fact.verdict or None,
        "because": fact.because or None,
        "summary": fact.summary or None,
        "at": rfc3339(fact.at),
    }


def _change(fact: Change) -> dict[str, Any]:
    shown: dict[str, Any] = {
        "id": fact.id,
        "url": fact.url,
        "status": _STATUSES[type(fact)],
        "documentContentType": None,
        "language": None,
        "part": 0,
        "title": "",
        "returned": None,
        "pictureChange": None,
        "bodySha256": None,
        "regions": iter(()),
        "reason": None,
        "at": rfc3339(fact.at),
    }
    if not isinstance(fact, DocumentChanged):
        return shown | {"reason": getattr(fact, "reason", None)}
    return shown | {
        "documentContentType": fact.content_type,
        "language": fact.language,
        "part": fact.part,
        "title": fact.title,
        "returned": returned_json(fact.returned),
        "pictureChange": share_json(fact.picture_change),
        "bodySha256": fact.body_sha256 or None,
        "regions": map(to_builtins, fact.regions),
    }


def _delivery(fact: DeliveryOutcome) -> dict[str, Any]:
    shown: dict[str, Any] = {
        "notification": fact.notification,
        "subscription": fact.subscription,
        "clientUrl": fact.client_url,
        "state": "delivered",
        "attempts": 0,
        "httpStatus": None,
        "answer": "",
        "reason": None,
        "nextAttempt": None,
        "at": rfc3339(fact.at),
    }
    if isinstance(fact, DeliveryHeld):
        held = {"state": "held", "reason": fact.reason, "nextAttempt": rfc3339(fact.until)}
        return shown | held
    shown |= {"attempts": fact.attempts, "httpStatus": fact.status, "answer": fact.answer}
    match fact:
        case AttemptFailed():
            following = rfc3339(fact.next)
            return shown | {"state": "retrying", "reason": fact.reason, "nextAttempt": following}
        case DeliveryFailed():
            return shown | {"state": "failed", "reason": fact.reason}
        case Delivered():
            return shown
