"""A site of 100,000 pages with mirrors and traps, crawled for several clients.

``python -m bench.crawl [PAGES]``: what is covered, what is left out, the fetches of one due time
against one job for each page and client, and what crawl takes for that in time and memory.
"""

import sys
from collections import Counter, deque
from collections.abc import Iterator
from random import Random
from time import process_time

import psutil
from pybloom_live import ScalableBloomFilter
from rich.console import Console

from schemas.codec import wire
from schemas.records.crawls import MAX_PAGES, CrawlOptions, PageSeen
from schemas.records.subscriptions import Options, Receiver, Subscription
from streams.agents.crawl.coverage import CrawlCoverage
from streams.agents.crawl.scope import outside
from streams.text.signatures import signature_of

ROOT = "https://example.org/"
CLIENTS = 3
CHILDREN, NAVIGATION = 12, 20
"""Links of a page to others below it, and to those that every page links to."""
WORDS, VOCABULARY = 300, 20_000
MIRRORED = 4
"""Of so many pages one has a print version: with those, a fifth of the pages are mirrors."""
DAYS, FACETS = 3, 4
"""Links of a page into an endless calendar and into a faceted search."""


class Site:
    """Pages by number; each links to those below it, to traps, and with a session id."""

    def __init__(self, pages: int) -> None:
        """Begin with so many pages that are no mirrors and no traps."""
        self.pages = pages
        self._random = Random(4711)  # noqa: S311 - a reproducible site
        self._signatures: dict[int, str] = {}

    def address(self, number: int) -> str:
        """Return the URL of a page."""
        return ROOT if number == 0 else f"{ROOT}page/{number}"

    def seen(self, url: str, crawl: str) -> PageSeen:
        """Return what a visit of a page finds."""
        links: tuple[str, ...] = ()
        signature = ""
        if url == ROOT or "/page/" in url:
            number = 0 if url == ROOT else int(url.split("/")[4])
            links, signature = tuple(self._links(number)), self._signature(number)
        elif "/calendar" in url:
            links = (f"{ROOT}calendar?day=2031-{self._random.randint(10, 12)}-{len(url)}",)
        return PageSeen(crawl, ROOT, url, links, (), signature, at=1)

    def _links(self, number: int) -> Iterator[str]:
        session = self._random.getrandbits(64)
        yield from (self.address(each) for each in range(min(NAVIGATION, self.pages)))
        for child in range(number * CHILDREN + 1, (number + 1) * CHILDREN + 1):
            if child < self.pages:
                yield f"{self.address(child)}?sid={session:x}"
                if child % MIRRORED == 0:
                    yield f"{self.address(child)}/print"
        for _ in range(DAYS):
            day = self._random.randint(10, 28)
            yield f"{ROOT}calendar?day={self._random.randint(1900, 2100)}-{10 + day % 3}-{day}"
        for facet in range(FACETS):
            yield f"{ROOT}shop?colour={self._random.randint(0, 99)}&size={facet}&price={number}"

    def _signature(self, number: int) -> str:
        if number not in self._signatures:
            random = Random(number)  # noqa: S311 - as above
            words = (f"w{random.randrange(VOCABULARY)}" for _ in range(WORDS))
            self._signatures[number] = signature_of(" ".join(words))
        return self._signatures[number]


def crawled(site: Site, client: int) -> tuple[CrawlCoverage, Counter[str]]:
    """Crawl a site from its root until no page is left to read; counts what that took."""
    options = Options(crawl=CrawlOptions(depth=5, max_pages=MAX_PAGES))
    subscription = Subscription(
        f"{client}", "w", "m", ROOT, ROOT, Receiver(session="s"), ("argus",), options, 1
    )
    crawl, done, counts = CrawlCoverage(subscription), set[str](), Counter[str]()
    waiting = deque([ROOT])
    list(crawl.begin())
    while waiting or crawl.is_behind:
        url = waiting.popleft() if waiting else ""
        if url in done:
            continue
        if url:
            done.add(url)
        moves = crawl.see(site.seen(url, subscription.id)) if url else crawl.tick()
        begun = process_time()
        for move in moves:
            if move is not None:
                counts["rows"] += 1
                if move.is_watched:
                    waiting.append(move.url)
        counts["µs"] += int((process_time() - begun) * 1e6)
    return crawl, counts


def main() -> None:
    """Print what was found."""
    console, pages = Console(), int(sys.argv[1]) if len(sys.argv) > 1 else 100_000
    site, process = Site(int(pages * 0.8)), psutil.Process()
    before = process.memory_info().rss
    watched = Counter[str]()
    jobs = 0
    for client in range(CLIENTS):
        crawl, counts = crawled(site, client)
        mirrors = {url for url, page in crawl.pages.items() if page.mirror_of}
        watched.update(crawl.pages.keys() - mirrors)
        jobs += len(crawl.pages)
        kinds = Counter(
            "mirrors" if url in mirrors else url[len(ROOT) :].partition("?")[0].partition("/")[0]
            for url in crawl.pages
        )
        used = (process.memory_info().rss - before) / 1e6
        console.print(f"crawl {client}: {dict(kinds)}, {counts['µs'] / 1e6:.1f} s, {used:.0f} MB")
    saved = 1 - len(watched) / jobs
    console.print(f"{len(watched):,} fetches for {jobs:,} jobs: {saved:.1%} saved")
    sizes = [len(wire.encode(page)) for page in list(crawl.pages.values())[:1_000]]
    console.print(f"a row has {sum(sizes) / len(sizes):.0f} bytes")
    _compare_filters(console, list(crawl.pages)[:20_000])


def _compare_filters(console: Console, urls: list[str]) -> None:
    """Compare a look into a filter of seen URLs with what it would save."""
    seen, options = ScalableBloomFilter(1_000, 0.001), CrawlOptions(depth=1)
    known = dict.fromkeys(urls)
    for name, look in {
        "pybloom-live add": seen.add,
        "pybloom-live in": seen.__contains__,
        "dict in": known.__contains__,
        "judge": lambda url: outside(url, ROOT, options),
    }.items():
        begun = process_time()
        for url in urls:
            look(url)
        console.print(f"{name}: {(process_time() - begun) / len(urls) * 1e6:.2f} µs")


if __name__ == "__main__":
    main()
