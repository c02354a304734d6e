"""The ways by which links lead from the root of a crawl to its covered pages."""

from collections import deque
from collections.abc import Iterator, Mapping
from dataclasses import replace

from schemas.records.crawls import Coverage, CrawlOptions
from schemas.records.table_rows import CrawledPage

Pages = Mapping[str, CrawledPage]


def reached(pages: Pages, root: str, options: CrawlOptions) -> Iterator[tuple[str, Coverage]]:
    """Yield the pages that links lead to, nearest first, each with how it is reached."""
    left = options.max_pages
    queue: deque[tuple[str, Coverage]] = deque([(root, pages[root].coverage)])
    seen = {root}
    if options.sitemap and (sitemap := sitemap_of(root)) in pages:
        seen.add(sitemap)
        queue.append((sitemap, pages[sitemap].coverage))
    while queue and left:
        left -= 1
        url, coverage = queue.popleft()
        yield url, coverage
        page = pages[url]
        for source in page.sources:
            if source in pages and source not in seen:
                seen.add(source)
                queue.append((source, replace(coverage, via=url, source=True)))
        if coverage.depth >= options.depth:
            continue
        nearer = replace(coverage, via=url, depth=coverage.depth + 1, source=False)
        for link in page.links:
            if link not in seen and link in pages and not pages[link].coverage.source:
                seen.add(link)
                queue.append((link, nearer))


def still_holds(
    page: CrawledPage, shortest: Coverage, found: Mapping[str, Coverage], pages: Pages
) -> bool:
    """Whether a page is reached as before, though another link is as short.

    ``found`` has how pages are reached now.
    """
    via = page.coverage.via
    alike = page.coverage.depth == shortest.depth and page.coverage.source == shortest.source
    return (
        alike
        and via in found
        and found[via].depth < shortest.depth
        and (page.url in pages[via].links)
    )


def sitemap_of(root: str) -> str:
    """Return the URL of the sitemap of a site.

    >>> sitemap_of("https://example.org/news/")
    'https://example.org/sitemap.xml'
    """
    return "/".join((*root.split("/", 3)[:3], "sitemap.xml"))
