"""GET /subscriptions/ID/pages: what a crawl covers, and why it does not cover a page."""

from collections.abc import Callable
from functools import partial
from typing import Any

from aiohttp import web

from connectors.api.access.middleware import caller
from connectors.api.answers import answer
from connectors.api.paging import page_response
from connectors.stores.packing import left_out_id, page_fact_id
from connectors.stores.pages import ListingPage
from connectors.stores.ports import PAGES_OF_CRAWL, ClientFacts, FactReader, SubscriptionReader
from schemas.codec.times import rfc3339
from schemas.records.codes import Code
from schemas.records.subscription_facts import PageAdded, PageRemoved
from schemas.records.subscriptions import Subscription
from schemas.records.urls import canonical

WhyNot = Callable[[Subscription, str], str]
"""Returns why a crawl does not cover a canonical URL that is not listed."""


class CrawledPagesHandler:
    """The handler of the pages of crawls."""

    def __init__(
        self, subscriptions: SubscriptionReader, facts: FactReader, why_not: WhyNot
    ) -> None:
        """Read what is listed from the store."""
        self._subscriptions = subscriptions
        self._facts = facts
        self._why_not = why_not

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
            return web.json_response(await self.state_of(listed.subscription, url))
        read = partial(self.listed, listed.subscription, removed="removed" in request.query)
        return await page_response(request, "pages", read, page_json)

    async def listed(
        self, crawl: Subscription, after: str | None, limit: int, *, removed: bool = False
    ) -> ListingPage[Any]:
        """List the pages that a crawl covers, or those that it has removed, newest first."""
        kind: ClientFacts = "removed_page" if removed else "page"
        return await self._facts.of_client(kind, crawl.manager, crawl.id, after, limit)

    async def state_of(self, crawl: Subscription, url: str) -> dict[str, Any]:
        """Return what a crawl has made of a page, and why."""
        ids = [page_fact_id(crawl.id, url), left_out_id(crawl.id, url)]
        for kind in PAGES_OF_CRAWL:
            page = await self._facts.with_ids(kind, crawl.manager, [crawl.id], ids)
            if page.items:
                return page_json(page.items[0])
        if url == crawl.url:
            return _state(url, "watched", "it is the document of the subscription")
        return _state(url, "never covered", self._why_not(crawl, url))


def page_json(fact: PageAdded | PageRemoved) -> dict[str, Any]:
    """Return a page of a crawl as it is listed."""
    at = {"at": rfc3339(fact.at)}
    if isinstance(fact, PageRemoved):
        gone = "removed" if fact.since else "left out"
        state = "mirror" if fact.mirror_of else gone
        return _state(fact.url, state, fact.reason) | {"mirrorOf": fact.mirror_of or None} | at
    found = fact.coverage
    what = "read for its links" if found.source else "watched"
    links = "1 link" if found.depth == 1 else f"{found.depth} links"
    reason = f"{links} from {found.root}, by {found.via}"
    return _state(fact.url, what, reason) | {"via": found.via, "depth": found.depth} | at


def _state(url: str, state: str, reason: str) -> dict[str, Any]:
    return {
        "url": url,
        "state": state,
        "reason": reason,
        "depth": None,
        "via": None,
        "mirrorOf": None,
        "at": None,
    }
