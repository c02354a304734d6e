"""Crawls: subscriptions to all pages linked from their document."""

import re
from dataclasses import dataclass
from typing import Annotated

from schemas.records.field_types import Count, Id, Links, Name, Text, Time, Url
from schemas.records.fields import About

MAX_DEPTH = 5
"""The most links from the document to a covered page."""
MAX_PAGES = 100_000
"""The most pages covered by a crawl."""
MAX_SIGNATURE = 1_000
"""Characters of a signature."""
MANAGER_IS_FULL = (
    "all crawls of its manager cover as many pages together as they may"
    " (VOKTER_MAX_PAGES_PER_MANAGER)"
)
"""Reasons to leave out a page for which a crawl itself has room."""
MAX_WITHOUT_ROOM = 1_000
"""The most pages of a crawl counted as left out for this reason."""
Signature = Annotated[str, About(most=MAX_SIGNATURE, allowed="a signature")]
"""By which pages with nearly the same text are found, as ``streams.text.signatures`` does."""


@dataclass(frozen=True, slots=True)
class CrawlOptions:
    """Which pages a subscription covers besides its document; the object ``crawl`` in JSON.

    >>> CrawlOptions(depth=2).within
    'host'
    """

    depth: Annotated[
        int,
        About("Cover pages that are so many links away.", least=0, most=MAX_DEPTH, unit="links"),
    ]
    max_pages: Annotated[
        int, About("Cover so many pages at most.", least=1, most=MAX_PAGES, unit="pages")
    ] = 100
    within: Annotated[
        str,
        About(
            "Cover pages of this host, of this domain, or with URLs of a pattern with *.",
            least=1,
            most=1_000,
            pattern=re.compile(r"host|domain|https?://[!-~]+"),
            allowed='"host", "domain" or a pattern such as "https://example.org/docs/*"',
        ),
    ] = "host"
    sitemap: Annotated[bool, About("Follow the host's /sitemap.xml, too.")] = False
    feeds: Annotated[bool, About("Follow the feeds that pages name, too.")] = False
    keep_mirrors: Annotated[
        bool, About("Watch pages with nearly the same text each by itself.")
    ] = False
    notify_pages: Annotated[bool, About("Notify of pages that come and go.")] = False


@dataclass(frozen=True, slots=True)
class Coverage:
    """The reason to watch a page: found by the crawl ``id`` (the id of its subscription).

    ``root`` is the URL of the crawl's document, ``via`` the page with the link, ``depth`` links
    from the root. A ``source`` (a sitemap or feed) is read for its links alone.
    """

    id: Id
    root: Url
    via: Url
    depth: Count
    source: bool = False


@dataclass(frozen=True, slots=True)
class LinksFound:
    """The links of a page in a crawl, and the signature of its text.

    ``links`` are canonical URLs in the order of the page, ``sources`` its sitemaps and feeds. Said
    when they differ, or when a further crawl asks.
    """

    id: Id
    url: Url
    watch: Id
    slot: Time
    links: Links
    sources: Links
    signature: Signature
    at: Time
    view: Id = ""


@dataclass(frozen=True, slots=True)
class PageSeen:
    """The links of a page for a crawl over the page, at the partition of its root."""

    crawl: Id
    root: Url
    url: Url
    links: Links
    sources: Links
    signature: Signature
    at: Time


@dataclass(frozen=True, slots=True)
class Uncover:
    """End the coverage of a page by a crawl.

    ``mirror_of`` now stands for the page, if set; ``is_news`` says whether the last link to the
    page is gone. Of a mirror, ``since`` and ``until`` (epoch ms) are its first and last reads while
    watched. A page which ``is_left_out`` by a bound was not covered; the register says so.
    """

    url: Url
    crawl: Id
    manager: Name
    reason: Text
    mirror_of: str = ""
    is_news: bool = False
    since: Time = 0
    until: Time = 0
    is_left_out: bool = False
