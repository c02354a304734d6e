"""The list of watches, with a search, and the state of each."""

from collections.abc import Sequence
from dataclasses import dataclass
from urllib.parse import urlencode

from aiohttp import web

from connectors.access.callers import caller
from connectors.display.subscription_texts import wanted
from connectors.page.filters import MAX_CHIPS, asked_tag, asked_text, tag_chips
from connectors.page.rendering import LATER_PAGE, Views, listed
from connectors.page.watch.sparklines import Sparkline, Sparklines
from connectors.page.watch.states import ShownState, shown_state
from connectors.reads.next_checks import NextChecks
from connectors.stores.pages import ListedSubscription, SubscriptionSearch
from connectors.stores.ports import SubscriptionReader
from schemas.records.pages import is_pages, pages_text
from schemas.records.subscriptions import Subscription

PER_PAGE = 50


@dataclass(frozen=True, slots=True)
class ShownWatch:
    """A watch with its state. Times are epoch ms.

    The title is its name, that of the page, or names the pages of a watch of several.
    """

    subscription: Subscription
    title: str
    has_several_pages: bool
    state: ShownState
    wanted: tuple[str, ...]
    last_check: int | None
    next_check: int | None
    changes: Sparkline


@dataclass(frozen=True, slots=True)
class ShownWatches:
    """Adds to watches what the store does not list; ``max_failures`` is the deployment's."""

    next_checks: NextChecks
    sparklines: Sparklines
    max_failures: int

    async def of(self, watches: Sequence[ListedSubscription]) -> list[ShownWatch]:
        """Return each watch as it is shown now."""
        return list(map(self._shown, watches, await self.sparklines.of(watches)))

    def _shown(self, listed: ListedSubscription, changes: Sparkline) -> ShownWatch:
        subscription = listed.subscription
        several = is_pages(subscription.url)
        return ShownWatch(
            subscription=subscription,
            title=listed.called or (pages_text(subscription.url) if several else ""),
            has_several_pages=several,
            state=shown_state(listed, self.max_failures, self.next_checks.clock()),
            wanted=wanted(subscription),
            last_check=listed.last_check,
            next_check=self.next_checks.of(listed),
            changes=changes,
        )


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
