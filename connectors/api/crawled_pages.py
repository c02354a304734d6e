"""GET /subscriptions/ID/pages: what a crawl covers, and why it does not cover a page."""

from functools import partial

from aiohttp import web

from connectors.access.callers import caller
from connectors.api.answers import answer
from connectors.api.listed import page_json
from connectors.api.paging import page_response
from connectors.reads.covered_pages import CoveredPages
from connectors.stores.ports import SubscriptionReader
from schemas.records.codes import Code
from schemas.records.urls import canonical


class CrawledPagesHandler:
    """The handler of the pages of crawls."""

    def __init__(self, subscriptions: SubscriptionReader, pages: CoveredPages) -> None:
        """Read ``pages`` of crawls that are among these subscriptions."""
        self._subscriptions = subscriptions
        self._pages = pages

    async def pages(self, request: web.Request) -> web.StreamResponse:
        """Answer with pages that a crawl covers, or has ceased to, or with the state of one."""
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
