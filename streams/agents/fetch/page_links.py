"""What of a page's links is published when it is read, and how a document remembers that."""

from collections.abc import Iterable
from dataclasses import dataclass, replace
from itertools import islice

from xxhash import xxh3_128_digest

from schemas.codec import wire
from schemas.records.crawls import LinksFound
from schemas.records.documents import Document
from schemas.records.field_types import MAX_LINKS
from streams.agents.fetch.due_view import DueView
from streams.values.ids import content_id

_TIME_BYTES = 8


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
