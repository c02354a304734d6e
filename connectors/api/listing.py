"""GET /subscriptions and /subscriptions/ID, from the read side, which may lag."""

from functools import partial
from typing import Any

from aiohttp import web

from connectors.access.callers import caller
from connectors.api.answers import answer
from connectors.api.listed import listed_json, time_or_null
from connectors.api.paging import asked_tag, page_response
from connectors.reads.next_checks import NextChecks
from connectors.stores.pages import ListedSubscription
from connectors.stores.ports import SubscriptionReader
from schemas.records.codes import Code


class ListingHandlers:
    """The handlers of listings."""

    def __init__(self, subscriptions: SubscriptionReader, next_checks: NextChecks) -> None:
        """List these subscriptions, each with its next check."""
        self._subscriptions = subscriptions
        self._next_checks = next_checks

    async def subscriptions(self, request: web.Request) -> web.StreamResponse:
        """Answer with a page of the subscriptions, oldest first; those with a tag, if asked."""
        try:
            tag = asked_tag(request)
        except ValueError as error:
            return answer(Code.INVALID_FORMAT, detail=str(error))
        read = partial(self._subscriptions.page, caller(request).manager, tag=tag)
        return await page_response(request, "subscriptions", read, self.item)

    async def subscription(self, request: web.Request) -> web.Response:
        """Answer with one subscription."""
        name = request.match_info["id"]
        listed = await self._subscriptions.get(caller(request).manager, name)
        return answer(Code.UNKNOWN) if listed is None else web.json_response(self.item(listed))

    def item(self, listed: ListedSubscription) -> dict[str, Any]:
        """Return a subscription as it is listed now."""
        item = listed_json(listed, self._next_checks.clock())
        return item | {"nextCheck": time_or_null(self._next_checks.of(listed))}
