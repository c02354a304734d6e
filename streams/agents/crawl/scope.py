"""Which links a crawl may follow, and why not the others."""

from schemas.records.crawls import CrawlOptions
from schemas.records.globs import matches_glob
from schemas.records.subscriptions import Subscription
from schemas.records.urls import hostname
from streams.agents.crawl.traps import group_of, trap_in
from streams.values.addresses import page_address


def outside(url: str, root: str, options: CrawlOptions) -> str:
    """Return why a crawl may not follow a link to a URL, empty if it may.

    >>> outside("https://other.example/", "https://example.org/", CrawlOptions(depth=1))
    'it is not on the host example.org (crawl.within)'
    """
    return _out_of_scope(url, root, options.within) or trap_in(url)


def why_not(crawl: Subscription, url: str) -> str:
    """Return why a crawl does not cover a page that is not listed, as far as its URL says."""
    options = crawl.options.crawl
    if options is None:
        return "the subscription does not crawl (crawl.depth)"
    address = page_address(url)
    if address != url:
        return f"a crawl leaves out what names a visitor: see {address}"
    if reason := outside(url, crawl.url, options):
        return reason
    group = group_of(url)
    few = f", or {group.most} pages of this {group.kind} are covered" if group else ""
    return (
        f"no page that is covered, and read by now, links to it within {options.depth} links, "
        f"or {options.max_pages:,} pages are covered (crawl.maxPages){few}"
    )


def domain_of(root: str) -> str:
    """Return the domain of a crawl within the ``domain``: the root's host without ``www.``."""
    return hostname(root).removeprefix("www.")


def _out_of_scope(url: str, root: str, within: str) -> str:
    name = hostname(url)
    if within == "host":
        own = hostname(root)
        return "" if name == own else f"it is not on the host {own} (crawl.within)"
    if within == "domain":
        own = domain_of(root)
        is_in = name == own or name.endswith(f".{own}")
        return "" if is_in else f"it is not in the domain {own} (crawl.within)"
    return "" if matches_glob(within, url) else f"{within} does not match it (crawl.within)"
