"""The list of watches, with a search."""

from urllib.parse import urlencode

from aiohttp import web

from connectors.access.callers import caller
from connectors.page.filters import MAX_CHIPS, asked_tag, asked_text, tag_chips
from connectors.page.rendering import LATER_PAGE, Views, listed
from connectors.page.watch.shown_watches import ShownWatches
from connectors.stores.pages import SubscriptionSearch
from connectors.stores.ports import SubscriptionReader

PER_PAGE = 50


class WatchesHandler:
    """The handler of the list."""

    def __init__(
        self, subscriptions: SubscriptionReader, watches: ShownWatches, views: Views
    ) -> None:
        """Show ``subscriptions`` as ``watches`` shows them."""
        self._subscriptions = subscriptions
        self._watches = watches
        self._views = views

    async def watches(self, request: web.Request) -> web.Response:
        """Answer with a page of the manager's subscriptions, newest first."""
        text, tag = asked_text(request.query), asked_tag(request.query)
        ended = "ended" in request.query
        asked, after = SubscriptionSearch(text, ended, tag), request.query.get("after") or None
        manager = caller(request).manager
        found = await listed(
            self._subscriptions.search(manager, asked, after, PER_PAGE), LATER_PAGE
        )
        query = {"q": text} if text else {}
        query |= {"ended": "1"} if ended else {}
        tags = await self._subscriptions.tags(manager, MAX_CHIPS)
        chips = tag_chips("/", query, tags, tag)
        query |= {"tag": tag} if tag else {}
        return await self._views.page(
            request,
            "watches",
            title="Watches",
            text=text,
            ended=ended,
            tag=tag,
            chips=chips,
            is_first=after is None,
            rows=await self._watches.of(found.items),
            first_page=f"/?{urlencode(query)}",
            next_page=f"/?{urlencode({**query, 'after': found.next})}" if found.next else None,
        )
