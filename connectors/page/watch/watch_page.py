"""The page of a watch: its state, its timeline, and its actions."""

from collections.abc import Callable, Sequence
from typing import Any

from aiohttp import web

from connectors.display.subscription_texts import times_text, without_room_text
from connectors.languages.texts import msgid
from connectors.page.asking import accepted
from connectors.page.rendering import Views, listed
from connectors.page.watch.asked_watch import WatchPorts, layout_of, layouts, one_watch, page_of
from connectors.page.watch.crawled import CrawledPagesView
from connectors.page.watch.mutes import mutes_of
from connectors.page.watch.number_chart import NumberChart, number_chart
from connectors.page.watch.shown_changes import shown_changes
from connectors.page.watch.states import interval_text, kind_of, patience_text
from connectors.page.watch.watch_list import ShownWatches
from connectors.requests.identity import request_about
from connectors.requests.outcomes import ClientRequests
from connectors.stores.pages import ListedSubscription, ListingPage
from schemas.records.failures import DocumentUnreachable
from schemas.records.numbers import MAX_POINTS

PER_PAGE = 20
ACTIONS = ("pause", "resume", "test")
OLDER_CHANGES = msgid("This address of older changes is not complete. Begin with the newest.")
_NONE: ListingPage[Any] = ListingPage((), None)


def last_check(newest: Sequence[Any]) -> int | None:
    """Return the last visit of a page given up; ``newest`` are its newest changes.

    The state of a page goes with its last watch, but not its history.
    """
    if newest and isinstance(newest[0], DocumentUnreachable):
        return newest[0].at
    return None


class WatchHandlers:
    """The handlers of a watch."""

    def __init__(
        self,
        ports: WatchPorts,
        watches: ShownWatches,
        crawled: CrawledPagesView,
        jobs: ClientRequests,
        views: Views,
    ) -> None:
        """Show a subscription with ``watches``, and change a subscription with ``jobs``."""
        self._ports = ports
        self._watches = watches
        self._crawled = crawled
        self._jobs = jobs
        self._views = views

    async def watch(self, request: web.Request) -> web.Response:
        """Answer with a subscription and the changes of its page."""
        one = await one_watch(self._ports, request)
        subscription, after = one.subscription, request.query.get("after") or None
        changes = self._ports.facts.changes(
            subscription.manager, subscription.url, after, PER_PAGE, subscription.id
        )
        found = await listed(changes, OLDER_CHANGES) or _NONE
        (shown,) = await self._watches.of([one])
        page = page_of(subscription, subscription.url, self._ports.notification_id)
        crawls = subscription.options.crawl is not None and after is None
        return await self._views.page(
            request,
            "watch",
            title=shown.title or subscription.document_url,
            watch=shown,
            listed=one,
            ended=kind_of(one) == "ended",
            last_check=shown.last_check or last_check(found.items),
            is_first=after is None,
            next=found.next,
            tested="tested" in request.query,
            saved="saved" in request.query,
            mutes=mutes_of(subscription.options),
            every=interval_text(subscription.options),
            patience=patience_text(subscription.options),
            times=times_text(subscription.options),
            without_room=without_room_text(one.without_room.count) if one.without_room else "",
            layout=layout_of(request),
            layouts=layouts(request),
            changes=await shown_changes(self._ports, request, subscription, page, found.items),
            covered=await self._crawled.newest(request, subscription) if crawls else [],
            number=await self._number(one),
        )

    async def _number(self, one: ListedSubscription) -> NumberChart | None:
        """Draw the number of a watch, if any."""
        subscription = one.subscription
        if subscription.options.view.number is None:
            return None
        page = await self._ports.texts.numbers(
            subscription.manager, subscription.url, None, MAX_POINTS, subscription.id
        )
        points = page.items[::-1] if page else ()
        until = one.ended or one.last_check or 0
        return number_chart(points, subscription.options.when, until)

    def acting(self, action: str) -> Callable[[web.Request], Any]:
        """Return the handler of an action."""

        async def act(request: web.Request) -> web.Response:
            subscription = (await one_watch(self._ports, request)).subscription
            await accepted(self._jobs, request, request_about(subscription, action))
            done = "?tested=1" if action == "test" else ""
            raise web.HTTPSeeOther(f"/watch/{subscription.id}{done}")

        return act
