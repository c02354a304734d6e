"""The pages of a crawl, and the reasons for missing pages."""

from collections.abc import Callable
from dataclasses import dataclass

from connectors.stores.packing import left_out_id, page_fact_id
from connectors.stores.pages import ListingPage
from connectors.stores.ports import PAGES_OF_CRAWL, ClientFacts, FactReader
from schemas.records.subscription_facts import PageAdded, PageRemoved
from schemas.records.subscriptions import Subscription

WhyNot = Callable[[Subscription, str], str]
"""Returns why a crawl does not cover an unlisted canonical URL."""


@dataclass(frozen=True, slots=True)
class PageState:
    """The state of a page in a crawl, with its reason, since a time (epoch ms).

    A covered page has a ``depth`` and was found ``via`` another; any other page may be a mirror.
    """

    url: str
    state: str
    reason: str
    depth: int | None = None
    via: str | None = None
    mirror_of: str | None = None
    at: int | None = None


class CoveredPages:
    """Reads the pages of crawls."""

    def __init__(self, facts: FactReader, why_not: WhyNot) -> None:
        """Read from ``facts``."""
        self._facts = facts
        self._why_not = why_not

    async def listed(
        self, crawl: Subscription, after: str | None, limit: int, *, removed: bool = False
    ) -> ListingPage[PageState]:
        """List the pages covered by a crawl, or the removed pages, newest first."""
        kind: ClientFacts = "removed_page" if removed else "page"
        found = await self._facts.of_client(kind, crawl.manager, crawl.id, after, limit)
        return ListingPage(tuple(map(page_state, found.items)), found.next)

    async def state_of(self, crawl: Subscription, url: str) -> PageState:
        """Return the state of a page (its canonical URL) in a crawl."""
        ids = [page_fact_id(crawl.id, url), left_out_id(crawl.id, url)]
        for kind in PAGES_OF_CRAWL:
            page = await self._facts.with_ids(kind, crawl.manager, [crawl.id], ids)
            if page.items:
                return page_state(page.items[0])
        if url == crawl.url:
            return PageState(url, "watched", "it is the document of the subscription")
        return PageState(url, "never covered", self._why_not(crawl, url))


def page_state(fact: PageAdded | PageRemoved) -> PageState:
    """Return the state of a page by its last fact."""
    if isinstance(fact, PageRemoved):
        gone = "removed" if fact.since else "left out"
        state, mirror = "mirror" if fact.mirror_of else gone, fact.mirror_of or None
        return PageState(fact.url, state, fact.reason, mirror_of=mirror, at=fact.at)
    found = fact.coverage
    state = "read for its links" if found.source else "watched"
    links = "1 link" if found.depth == 1 else f"{found.depth} links"
    reason = f"{links} from {found.root}, by {found.via}"
    return PageState(fact.url, state, reason, depth=found.depth, via=found.via, at=fact.at)
