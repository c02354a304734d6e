"""What is wrong with a crawl that a client asks for."""

from collections.abc import Iterator

from schemas.records.crawls import MAX_PAGES, CrawlOptions
from schemas.records.fields import record_fields


def crawl_faults(crawl: CrawlOptions | None, most: int = MAX_PAGES) -> Iterator[str]:
    """Yield the fields of a crawl that are not allowed, each with what is.

    The deployment allows ``most`` pages.

    >>> list(crawl_faults(CrawlOptions(depth=9)))
    ['crawl.depth: 0 to 5 links are allowed, not 9']
    """
    for field in record_fields(CrawlOptions) if crawl is not None else ():
        value = getattr(crawl, field.name)
        if not field.allows(value):
            given = repr(value)[:100]
            yield f"crawl.{field.json_name}: {field.allowed} are allowed, not {given}"
    if crawl is not None and most < crawl.max_pages <= MAX_PAGES:
        yield f"crawl.maxPages: 1 to {most} pages are allowed here, not {crawl.max_pages}"
