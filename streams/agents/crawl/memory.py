"""The crawls of one partition, as their table has them."""

from schemas.codec import wire
from schemas.records.subscriptions import Subscription
from schemas.records.table_rows import Crawl, CrawledPage
from streams.agents.crawl.coverage import CrawlCoverage


class CrawlMemory:
    """All crawls of a partition by their ids, those of their subscriptions."""

    def __init__(self) -> None:
        self.crawls: dict[str, CrawlCoverage] = {}

    def load(self, key: bytes, value: bytes) -> None:
        """Load one row of the table; that of a crawl comes before those of its pages."""
        crawl, _, url = key.decode().partition("\0")
        if url:
            self.crawls[crawl].load(wire.decode(value, CrawledPage))
        else:
            self.begin(wire.decode(value, Crawl).subscription)

    def begin(self, subscription: Subscription) -> CrawlCoverage:
        """Add a crawl."""
        crawl = self.crawls[subscription.id] = CrawlCoverage(subscription)
        return crawl


def crawl_key(crawl: str) -> bytes:
    """Return the table key of a crawl; it sorts before those of its pages."""
    return crawl.encode()


def page_key(crawl: str, url: str) -> bytes:
    """Return the table key of a page of a crawl."""
    return f"{crawl}\0{url}".encode()
