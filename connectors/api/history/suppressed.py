"""GET /suppressed, and POST /suppressed/{id}/send, from the read side, which may lag."""

from functools import partial
from typing import Any

from aiohttp import web

from connectors.access.callers import caller
from connectors.api.answers import answer
from connectors.api.history.facts import fact_json
from connectors.api.listed import time_or_null
from connectors.api.paging import page_response
from connectors.requests.suppressed import SuppressedNews
from schemas.codec.times import rfc3339
from schemas.records.codes import Code
from schemas.records.judgements import Suppressed


class SuppressedHandlers:
    """The handlers of notifications suppressed by a language model."""

    def __init__(self, suppressed: SuppressedNews) -> None:
        """List and send these."""
        self._suppressed = suppressed

    async def listed(self, request: web.Request) -> web.StreamResponse:
        """Answer with a page of the manager's suppressed notifications."""
        read = partial(self._suppressed.page, caller(request).manager)
        return await page_response(request, "suppressed", read, suppressed_json)

    async def send(self, request: web.Request) -> web.Response:
        """Send a suppressed notification after all."""
        name = request.match_info["id"]
        is_there = await self._suppressed.send(caller(request).manager, name)
        return answer(Code.OK if is_there else Code.UNKNOWN)


def suppressed_json(fact: Suppressed) -> dict[str, Any]:
    """Return a suppressed notification, with the times of its suppression and later sending."""
    times = {"suppressedAt": rfc3339(fact.at), "sentAt": time_or_null(fact.sent or None)}
    return fact_json(fact.notification) | times
