"""GET /subscriptions and /subscriptions/ID, from the read side, which may lag."""

from collections.abc import Callable
from functools import partial
from typing import Any

from aiohttp import web

from connectors.api.access.middleware import caller
from connectors.api.answers import answer
from connectors.api.listed import listed_json, time_or_null
from connectors.api.paging import asked_tag, page_response
from connectors.stores.pages import ListedSubscription
from connectors.stores.ports import SubscriptionReader
from schemas.records.codes import Code

NextCheck = Callable[[str, int, int], int]
"""Returns the next due time (ms) of a URL; called with interval (s) and current time (ms)."""


Pause = Callable[[ListedSubscription], int]
"""Returns for how long (ms) after its last check a page is left alone."""


class ListingHandlers:
    """The handlers of listings."""

    def __init__(
        self,
        subscriptions: SubscriptionReader,
        next_slot: NextCheck,
        pause_ms: Pause,
        clock: Callable[[], int],
    ) -> None:
        """List these subscriptions; the others compute due times (``clock``: epoch ms)."""
        self._subscriptions = subscriptions
        self._next_slot = next_slot
        self._pause_ms = pause_ms
        self._clock = clock

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
        item = listed_json(listed, self._clock())
        return item | {"nextCheck": time_or_null(self._next_check(listed))}

    def _next_check(self, listed: ListedSubscription) -> int | None:
        subscription = listed.subscription
        if listed.interval is None or subscription.paused:
            return None
        after = max(self._clock(), (listed.last_check or 0) + self._pause_ms(listed))
        # A shorter interval of others would show that they watch, too.
        return self._next_slot(subscription.url, subscription.options.interval, after)
