"""The pages covered by a watch besides its first page, and the reason for missing pages."""

from aiohttp import web

from connectors.display.subscription_texts import without_room_text
from connectors.languages.texts import gettext, msgid
from connectors.page.rendering import Views, listed
from connectors.page.watch.asked_watch import WatchPorts, layout_of, one_watch, page_of
from connectors.page.watch.shown_changes import shown_changes
from connectors.page.watch.timeline import ShownChange
from connectors.reads.covered_pages import CoveredPages
from connectors.stores import cursor
from connectors.stores.pages import DocumentSpan
from schemas.records.subscriptions import Subscription
from schemas.records.urls import canonical

PER_PAGE = 100
CHANGES = 20
"""The most changes of a page shown; REST lists all."""
OLDER_PAGES = msgid("This address of further pages is not complete. Begin with the first.")
NO_ADDRESS = msgid("Enter the address of a page, beginning with https:// or http://.")
_STATES = {
    "watched": msgid("watched"),
    "never covered": msgid("never covered"),
    "removed": msgid("removed"),
    "left out": msgid("left out"),
    "mirror": msgid("mirror"),
    "read for its links": msgid("read for its links"),
}
"""The states of pages, as their reader calls them."""


MAX_COVERED, MAX_PAGES, CHANGES_EACH = 1_000, 8, 3
"""Covered pages examined for changes, pages shown, and changes of each."""


def covered_state(state: str) -> str:
    """Return the state of a page in a crawl for people."""
    return gettext(_STATES[state])


class CrawledPagesView:
    """The handler of the list of pages."""

    def __init__(self, ports: WatchPorts, crawled: CoveredPages, views: Views) -> None:
        """Read as REST does."""
        self._ports = ports
        self._crawled = crawled
        self._views = views

    async def pages(self, request: web.Request) -> web.Response:
        """Answer with the pages covered by a crawl, newest first, and the state of a page."""
        one = await one_watch(self._ports, request)
        after, removed = request.query.get("after") or None, "removed" in request.query
        reading = self._crawled.listed(one.subscription, after, PER_PAGE, removed=removed)
        found = await listed(reading, OLDER_PAGES)
        given = request.query.get("url", "").strip()
        url = canonical(given) if given else None
        changes = await self._changes(request, one.subscription, url) if url else ()
        return await self._views.page(
            request,
            "crawled",
            title=gettext(
                "Covered pages: %(watch)s", watch=one.called or one.subscription.document_url
            ),
            watch=one.subscription.id,
            page_name=one.called or one.subscription.document_url,
            pages=found.items,
            removed=removed,
            without_room=without_room_text(one.without_room.count) if one.without_room else "",
            is_first=after is None,
            next=found.next,
            given=given,
            answer=await self._crawled.state_of(one.subscription, url) if url else None,
            error=gettext(NO_ADDRESS) if given and url is None else "",
            asked=url,
            changes=changes,
            layout=layout_of(request),
        )

    async def newest(
        self, request: web.Request, crawl: Subscription
    ) -> list[tuple[str, list[ShownChange]]]:
        """Show the newest changes of the pages covered by a crawl, last changed page first."""
        covered = (await self._crawled.listed(crawl, None, MAX_COVERED)).items
        spans = [DocumentSpan(each.url, crawl.view_id, 0, cursor.LATEST) for each in covered]
        counts = zip(spans, await self._ports.facts.change_counts(spans), strict=True)
        changed = [(each.last, span.url) for span, each in counts if each.last is not None]
        urls = [url for _, url in sorted(changed, reverse=True)[:MAX_PAGES]]
        found = [(url, await self._changes(request, crawl, url, CHANGES_EACH)) for url in urls]
        return [(url, changes) for url, changes in found if changes]

    async def _changes(
        self, request: web.Request, crawl: Subscription, url: str, limit: int = CHANGES
    ) -> list[ShownChange]:
        """Show the newest changes of a page while covered."""
        found = await self._ports.facts.changes(crawl.manager, url, None, limit, crawl.id)
        page = page_of(crawl, url, self._ports.notification_id)
        items = found.items if found else ()
        return await shown_changes(self._ports, request, crawl, page, items)
