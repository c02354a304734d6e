"""Links of a page that crawls cover: found, published when it is read, and remembered."""

from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace
from itertools import islice
from typing import Protocol

from xxhash import xxh3_128_digest

from schemas.codec import wire
from schemas.records.crawls import LinksFound
from schemas.records.documents import Document
from schemas.records.field_types import MAX_LINKS
from schemas.records.urls import canonical
from streams.agents.fetch.due_view import DueView
from streams.agents.fetch.fetched_page import FetchedPage
from streams.text.signatures import signature_of
from streams.values.addresses import page_address
from streams.values.ids import content_id

_TIME_BYTES = 8


class RawLinks(Protocol):
    """The links of a page, the sitemaps and feeds that it names, and its own text."""

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


@dataclass(frozen=True, slots=True)
class PageLinks:
    """The links of a page as canonical URLs, the sitemaps and feeds it names, its signature."""

    links: tuple[str, ...] = ()
    sources: tuple[str, ...] = ()
    signature: str = ""


def few_links(urls: Iterable[str]) -> tuple[str, ...]:
    """Return the first MAX_LINKS different URLs."""
    return tuple(islice(dict.fromkeys(urls), MAX_LINKS))


def asked_since(links: bytes) -> int:
    """Return for whom a document's links were published last; 0: they never were."""
    return int.from_bytes(links[:_TIME_BYTES], "big")


def with_links(
    after: Document, before: Document | None, due: DueView, found: PageLinks, at: int
) -> Document:
    """Return a state that publishes the links of its page, unless those who ask know them."""
    digest = xxh3_128_digest(repr((found.links, found.sources, found.signature)).encode())
    links = due.links_since.to_bytes(_TIME_BYTES, "big") + digest
    if before is not None and before.links == links:
        return replace(after, links=links)
    record = LinksFound(
        id=content_id(due.url, due.view_id, due.slot, "links"),
        url=due.url,
        watch=due.watch,
        slot=due.slot,
        links=found.links,
        sources=found.sources,
        signature=found.signature,
        at=at,
        view=due.view_id,
    )
    return replace(after, links=links, unpublished=(*after.unpublished, wire.encode(record)))


def page_links(find: FindLinks, url: str, fetched: FetchedPage) -> PageLinks:
    """Return the links of a page in canonical form."""
    response = fetched.response
    found = find(response.body, response.content_type, response.url or url)
    return PageLinks(
        links=few_links(page_address(each) for each in map(canonical, found.links) if each),
        sources=few_links(each for each in map(canonical, found.sources) if each),
        signature=signature_of(found.text),
    )
