"""Finds the links of a page that crawls cover, and what its text is compared by."""

from collections.abc import Callable
from typing import Protocol

from schemas.records.urls import canonical
from streams.agents.fetch.fetched_page import FetchedPage
from streams.agents.fetch.page_links import PageLinks, few_links
from streams.text.signatures import signature_of
from streams.values.addresses import page_address


class RawLinks(Protocol):
    """What a page links to, the sitemaps and feeds that it names, and its own text."""

    @property
    def links(self) -> tuple[str, ...]:
        """Absolute URLs of pages."""

    @property
    def sources(self) -> tuple[str, ...]:
        """Absolute URLs of sitemaps and feeds."""

    @property
    def text(self) -> str:
        """The text, as far as it is not that of all pages of the site."""


FindLinks = Callable[[bytes, str | None, str], RawLinks]
"""Finds the links in a body, by its Content-Type header and its URL, as absolute URLs."""


def page_links(find: FindLinks, url: str, fetched: FetchedPage) -> PageLinks:
    """Return the links of a page in canonical form."""
    response = fetched.response
    found = find(response.body, response.content_type, response.url or url)
    return PageLinks(
        links=few_links(page_address(each) for each in map(canonical, found.links) if each),
        sources=few_links(each for each in map(canonical, found.sources) if each),
        signature=signature_of(found.text),
    )
