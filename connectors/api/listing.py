"""Subscriptions and the pages of their crawls, from the read side, which may lag."""

from functools import partial
from typing import Any

from aiohttp import web

from connectors.access.callers import caller
from connectors.api.answers import answer
from connectors.api.listed import listed_json, page_json, time_or_null
from connectors.api.paging import asked_tag, asked_text, page_response
from connectors.reads.covered_pages import CoveredPages
from connectors.reads.next_checks import NextChecks
from connectors.stores.pages import ListedSubscription, ListingPage, SubscriptionSearch
from connectors.stores.ports import SubscriptionReader
from schemas.records.codes import Code
from schemas.records.names import canonical_name
from schemas.records.urls import canonical


class CrawledPagesHandler:
    """The handler of the pages of crawls."""

    def __init__(self, subscriptions: SubscriptionReader, pages: CoveredPages) -> None:
        """Read ``pages`` of crawls among these subscriptions."""
        self._subscriptions = subscriptions
        self._pages = pages

    async def pages(self, request: web.Request) -> web.StreamResponse:
        """Answer with pages covered by a crawl, now or before, or with the state of a page."""
        manager, name = caller(request).manager, request.match_info["id"]
        listed = await self._subscriptions.get(manager, name)
        if listed is None:
            return answer(Code.UNKNOWN)
        if "url" in request.query:
            url = canonical(request.query["url"])
            if url is None:
                return answer(Code.INVALID_DOCUMENT_URL)
            found = await self._pages.state_of(listed.subscription, url)
            return web.json_response(page_json(found))
        removed = "removed" in request.query
        read = partial(self._pages.listed, listed.subscription, removed=removed)
        return await page_response(request, "pages", read, page_json)


class ListingHandlers:
    """The handlers of listings."""

    def __init__(self, subscriptions: SubscriptionReader, next_checks: NextChecks) -> None:
        """List these subscriptions, each with its next check."""
        self._subscriptions = subscriptions
        self._next_checks = next_checks

    async def subscriptions(self, request: web.Request) -> web.StreamResponse:
        """Answer with a page of the subscriptions, oldest first, or of the matches of a search."""
        tag, name = asked_tag(request), canonical_name(asked_text(request, "name"))
        search = SubscriptionSearch(asked_text(request, "search") or name, tag)
        manager = caller(request).manager

        async def read(after: str | None, limit: int) -> ListingPage[ListedSubscription]:
            if not search.text:
                return await self._subscriptions.page(manager, after, limit, tag)
            page = await self._subscriptions.search(manager, search, after, limit)
            named = (each for each in page.items if name in ("", each.subscription.name))
            return ListingPage(tuple(named), page.next)

        return await page_response(request, "subscriptions", read, self.item)

    async def subscription(self, request: web.Request) -> web.Response:
        """Answer with a subscription."""
        name = request.match_info["id"]
        listed = await self._subscriptions.get(caller(request).manager, name)
        return answer(Code.UNKNOWN) if listed is None else web.json_response(self.item(listed))

    def item(self, listed: ListedSubscription) -> dict[str, Any]:
        """Return a subscription in the form of a listing."""
        item = listed_json(listed, self._next_checks.clock())
        return item | {"nextCheck": time_or_null(self._next_checks.of(listed))}
