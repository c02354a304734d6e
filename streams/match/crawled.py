"""What match does with the links of a page: it passes them on to the crawls that cover it."""

from collections.abc import Iterator

from schemas.crawls import LinksFound, PageSeen
from schemas.subscriptions import Subscription
from streams.core.outcome import Outcome, Send
from streams.core.register.memory import RegisterMemory
from streams.core.register.registrations import active
from streams.topics import CRAWLS


def pass_on_links(found: LinksFound, memory: RegisterMemory) -> Outcome:
    """Let each crawl that covers a page know what it links to."""
    return Outcome(line=found.url, rest=_seen(found, memory))


def _seen(found: LinksFound, memory: RegisterMemory) -> Iterator[Outcome]:
    for each in active(memory.of(found.url).values()):
        if each.links_since and (each.watch, each.view_id) == (found.watch, found.view):
            seen = _page_seen(each, found)
            yield Outcome((Send(CRAWLS.name, seen.root, seen),))


def _page_seen(page: Subscription, found: LinksFound) -> PageSeen:
    coverage = page.coverage
    return PageSeen(
        crawl=page.id if coverage is None else coverage.id,
        root=page.url if coverage is None else coverage.root,
        url=found.url,
        links=found.links,
        sources=found.sources,
        signature=found.signature,
        at=found.at,
    )
