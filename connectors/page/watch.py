"""One watch: its state, its timeline, and what can be done with it."""

from collections.abc import Callable
from typing import Any

from aiohttp import web

from connectors.api.jobs import RequestHandlers
from connectors.api.listing import ListingHandlers
from connectors.display.crawls import without_room_text
from connectors.display.times import times_text
from connectors.display.wanted import wanted
from connectors.page.asking import accepted, request_about
from connectors.page.covered import page_of
from connectors.page.mutes import mutes_of
from connectors.page.number_chart import NumberChart, number_chart
from connectors.page.rendering import Views, listed
from connectors.page.shown_changes import shown_changes
from connectors.page.sparklines import Sparklines
from connectors.page.states import shown_state, with_pages
from connectors.page.waiting import interval_text, patience_text
from connectors.page.watching import WatchPorts, layout_of, layouts, one_watch
from connectors.stores.pages import ListedSubscription, ListingPage
from schemas.records.numbers import MAX_POINTS

PER_PAGE = 20
ACTIONS = ("pause", "resume", "test", "cancel")
OLDER_CHANGES = "This address of older changes is not complete. Begin with the newest."
_NONE: ListingPage[Any] = ListingPage((), None)


class WatchHandlers:
    """The handlers of one watch."""

    def __init__(
        self,
        ports: WatchPorts,
        listing: ListingHandlers,
        jobs: RequestHandlers,
        sparklines: Sparklines,
        max_failures: int,
        views: Views,
    ) -> None:
        """Read as REST does; ``max_failures`` is the deployment's."""
        self._ports = ports
        self._listing = listing
        self._jobs = jobs
        self._sparklines = sparklines
        self._max_failures = max_failures
        self._views = views

    async def watch(self, request: web.Request) -> web.Response:
        """Answer with a subscription and the changes of its page."""
        one = await one_watch(self._ports, request)
        subscription, after = one.subscription, request.query.get("after") or None
        changes = self._ports.facts.changes(
            subscription.manager, subscription.url, after, PER_PAGE, subscription.id
        )
        found = await listed(changes, OLDER_CHANGES) or _NONE
        item = with_pages(self._listing.item(one))
        page = page_of(subscription, subscription.url, self._ports.notification_id)
        return await self._views.page(
            request,
            "watch",
            title=item["title"] or subscription.document_url,
            item=item,
            shown=shown_state(item, self._max_failures),
            ended=one.ended is not None,
            is_first=after is None,
            next=found.next,
            tested="tested" in request.query,
            mutes=mutes_of(subscription.options),
            wanted=wanted(subscription),
            every=interval_text(item),
            patience=patience_text(item),
            times=times_text(subscription.options),
            without_room=without_room_text(one.without_room.count) if one.without_room else "",
            layout=layout_of(request),
            layouts=layouts(request),
            spark=(await self._sparklines.of([one]))[0],
            changes=await shown_changes(self._ports, request, subscription, page, found.items),
            number=await self._number(one),
        )

    async def _number(self, one: ListedSubscription) -> NumberChart | None:
        """Draw the number that a watch reads, if it reads one."""
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
