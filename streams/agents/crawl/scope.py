"""Links that a crawl may follow, and the reasons against the others."""

import re
from collections import Counter
from dataclasses import dataclass
from urllib.parse import unquote

from schemas.records.crawls import CrawlOptions
from schemas.records.globs import matches_glob
from schemas.records.subscriptions import Subscription
from schemas.records.urls import hostname
from streams.values.addresses import page_address

MAX_ADDRESS = 1_000
"""Characters of a URL."""
MAX_PARTS = 16
"""Parts of a path."""
MAX_REPEATED = 2
"""Times that one part may be in a path: more are links that are relative by mistake."""
MAX_PARAMETERS = 4
"""Parameters of a query: more are choices of a faceted search."""
MAX_DATES, MAX_FACETS, MAX_NUMBERS = 50, 50, 1_000
"""Pages of one calendar, one faceted search, one path with a parameter."""

_FILES = re.compile(
    r"\.(?:7z|avi|bz2|bmp|css|dmg|docx?|eot|epub|exe|flac|gif|gz|ico|iso|jar|jpe?g|js|m4[av]|mkv"
    r"|mov|mp[34]|mpe?g|msi|odt|ogg|otf|png|pptx?|rar|svg|tar|tgz|tiff?|ttf|wav|web[mp]|woff2?|wmv"
    r"|xlsx?|xz|zip)$",
    re.IGNORECASE,
)
_DATED_PATH = re.compile(r"/(?:19|20)\d\d[/-](?:0?[1-9]|1[0-2])(?:[/-]\d{1,2})?/?$")
_DATE = re.compile(r"(?:19|20)\d\d(?:-?(?:0[1-9]|1[0-2])(?:-?\d\d)?)?")
_DATE_NAMES = frozenset(
    ("date", "day", "month", "year", "week", "mon", "yr", "cal", "calendar", "tribe-bar-date")
)
_DIGITS = re.compile(r"\d+")


@dataclass(frozen=True, slots=True)
class PageGroup:
    """Pages that may be without end: ``most`` of those with this name are covered."""

    name: str
    kind: str
    most: int


def outside(url: str, root: str, options: CrawlOptions) -> str:
    """Return why a crawl may not follow a link to a URL, empty if it may.

    >>> outside("https://other.example/", "https://example.org/", CrawlOptions(depth=1))
    'it is not on the host example.org (crawl.within)'
    """
    name, within = hostname(url), options.within
    if within == "host":
        own = hostname(root)
        if name != own:
            return f"it is not on the host {own} (crawl.within)"
    elif within == "domain":
        own = domain_of(root)
        if name != own and not name.endswith(f".{own}"):
            return f"it is not in the domain {own} (crawl.within)"
    elif not matches_glob(within, url):
        return f"{within} does not match it (crawl.within)"
    return trap_in(url)


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


def trap_in(url: str) -> str:
    """Return why a page is left out whatever else is covered, empty if it is not.

    >>> trap_in("https://example.org/a/a/a/")
    "the part 'a' is in its path more than 2 times"
    """
    if len(url) > MAX_ADDRESS:
        return f"its URL has more than {MAX_ADDRESS:,} characters"
    path, _, query = url.partition("?")
    parts = path.split("/")[3:]
    if _FILES.search(path):
        return f"a file of type {path.rpartition('.')[2]} is no page"
    if len(parts) > MAX_PARTS:
        return f"its path has more than {MAX_PARTS} parts"
    part, times = Counter(filter(None, parts)).most_common(1)[0] if any(parts) else ("", 0)
    if times > MAX_REPEATED:
        return f"the part {part!r} is in its path more than {MAX_REPEATED} times"
    if query.count("&") >= MAX_PARAMETERS:
        return f"its query has more than {MAX_PARAMETERS} parameters"
    return ""


def group_of(url: str) -> PageGroup | None:
    """Return the group that a page counts in, None if as many as there are may be covered.

    >>> group_of("https://example.org/events?month=2031-02").kind
    'calendar'
    """
    path, mark, query = url.partition("?")
    parameters = [each.partition("=") for each in query.split("&")] if mark else []
    names = ",".join(sorted(name for name, _, _ in parameters))
    shape = _DIGITS.sub("#", path)
    if any(map(_is_date, parameters)) or _DATED_PATH.search(path):
        return PageGroup(f"{shape}?{names}", "calendar", MAX_DATES)
    if len(parameters) > 1:
        return PageGroup(path, "search", MAX_FACETS)
    if parameters:
        return PageGroup(f"{path}?{names}", "list", MAX_NUMBERS)
    return None


def _is_date(parameter: tuple[str, str, str]) -> bool:
    name, _, value = parameter
    is_long = len(value) > len("2031")
    return name.lower() in _DATE_NAMES or (is_long and bool(_DATE.fullmatch(unquote(value))))
