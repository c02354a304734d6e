"""GET /subscriptions: from the read side, so it may lag an answer."""

from collections.abc import Callable
from datetime import UTC, datetime
from typing import Any

from aiohttp import web

from connectors.api.access import caller
from connectors.api.answers import INVALID_FORMAT, answer
from connectors.stores.base import Listed, Store

MAX_PAGE = 1000
PAGE = 100

NextCheck = Callable[[str, int, int], int]
"""Gives the next due time (ms) of a URL, watched every so many seconds, after a time (ms)."""


class Listing:
    """The handler; ``next_slot`` and ``clock`` (epoch ms) tell when a document is due."""

    def __init__(self, store: Store, next_slot: NextCheck, clock: Callable[[], int]) -> None:
        """Take the read side."""
        self._store = store
        self._next_slot = next_slot
        self._clock = clock

    async def subscriptions(self, request: web.Request) -> web.Response:
        """One page of the subscriptions, oldest first."""
        cursor, limit = request.query.get("cursor"), request.query.get("limit", str(PAGE))
        if not limit.isdecimal() or not 1 <= int(limit) <= MAX_PAGE:
            return answer(INVALID_FORMAT, detail=f"limit: 1 to {MAX_PAGE} is allowed")
        try:
            page = await self._store.subscriptions(caller(request).manager, cursor, int(limit))
        except ValueError:
            return answer(INVALID_FORMAT, detail="cursor: only one from 'next' is allowed")
        items = [self._item(listed) for listed in page.items]
        return web.json_response({"subscriptions": items, "next": page.next})

    def _item(self, listed: Listed) -> dict[str, Any]:
        subscription, watch = listed.subscription, listed.watch
        due = None
        if watch is not None and not subscription.paused:
            due = self._next_slot(subscription.url, watch.interval, self._clock())
        receiver = (
            {"session": subscription.session}
            if subscription.client_url is None
            else {"clientUrl": subscription.client_url}
        )
        return {
            "id": subscription.id,
            "documentUrl": subscription.document_url,
            **receiver,
            "keywords": list(subscription.keywords),
            "documentContentType": subscription.content_type,
            "interval": subscription.interval,
            "ignoreAdded": subscription.ignore_added,
            "ignoreRemoved": subscription.ignore_removed,
            "enableStemming": subscription.enable_stemming,
            "filterStopwords": subscription.filter_stopwords,
            "ignoreCase": subscription.ignore_case,
            "snippetOffset": subscription.snippet_offset,
            "state": listed.state,
            "reason": listed.reason,
            "lastCheck": _rfc3339(listed.last_check),
            "nextCheck": _rfc3339(due),
            "failures": listed.failures,
            "lastError": listed.last_error,
        }


def _rfc3339(time: int | None) -> str | None:
    """Write a time (epoch ms) in UTC, as RFC 3339 has it."""
    if time is None:
        return None
    moment = datetime.fromtimestamp(time / 1000, UTC)
    return moment.isoformat(timespec="milliseconds").replace("+00:00", "Z")
