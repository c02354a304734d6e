"""The list of watches, with a search."""

from typing import Any
from urllib.parse import urlencode

from aiohttp import web

from connectors.api.access.middleware import caller
from connectors.api.listing import ListingHandlers
from connectors.display.wanted import wanted
from connectors.page.filters import asked_tag, asked_text
from connectors.page.rendering import LATER_PAGE, Views, listed
from connectors.page.sparkline import Sparkline
from connectors.page.sparklines import Sparklines
from connectors.page.states import shown_state, with_pages
from connectors.page.tags import MAX_CHIPS, tag_chips
from connectors.stores.pages import ListedSubscription, SubscriptionSearch
from connectors.stores.ports import SubscriptionReader

PER_PAGE = 50


class WatchesHandler:
    """The handler of the list."""

    def __init__(
        self,
        subscriptions: SubscriptionReader,
        listing: ListingHandlers,
        sparklines: Sparklines,
        max_failures: int,
        views: Views,
    ) -> None:
        """``max_failures`` is the deployment's."""
        self._sparklines = sparklines
        self._subscriptions = subscriptions
        self._listing = listing
        self._max_failures = max_failures
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
            rows=list(map(self._row, found.items, await self._sparklines.of(found.items))),
            first_page=f"/?{urlencode(query)}",
            next_page=f"/?{urlencode({**query, 'after': found.next})}" if found.next else None,
        )

    def _row(self, listed: ListedSubscription, changes: Sparkline) -> dict[str, Any]:
        item = with_pages(self._listing.item(listed))
        return item | {
            "shown": shown_state(item, self._max_failures),
            "changes": changes,
            "wanted": wanted(listed.subscription),
        }
