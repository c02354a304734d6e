"""Reads and prints the pages of a crawl, for ``vokter pages``."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from connectors.display.subscription_texts import without_room_text
from connectors.reads.covered_pages import CoveredPages, PageState
from connectors.stores.opening import Store, open_store
from connectors.stores.pages import WithoutRoom
from schemas.records.urls import canonical
from streams.agents.crawl.scope import why_not
from streams.cli.output import printable, say
from streams.cli.setup.existing_store import check_store_exists
from streams.settings import Settings

PAGE = 1000


@dataclass(frozen=True, slots=True)
class PagesAsked:
    """The pages of a manager's crawl (its subscription's id) that are asked for.

    Those that are covered, or those that were ``removed``, or the state of one ``url``.
    """

    manager: str
    crawl: str
    removed: bool
    url: str | None


@dataclass(frozen=True, slots=True)
class FoundPages:
    """Pages of a crawl, and those without room, if all pages were asked for."""

    pages: Sequence[PageState]
    without_room: WithoutRoom | None = None


async def read_pages(settings: Settings, asked: PagesAsked) -> FoundPages:
    """Read pages from the store, newest first; raises LookupError without such a crawl."""
    check_store_exists(settings)
    store = await open_store(settings.store_url)
    try:
        return await _pages(store, asked)
    finally:
        await store.close()


async def _pages(store: Store, asked: PagesAsked) -> FoundPages:
    listed = await store.subscriptions.get(asked.manager, asked.crawl)
    if listed is None:
        raise LookupError(
            f"There is no subscription {asked.crawl} of {asked.manager}; vokter list --json has ids"
        )
    pages = CoveredPages(store.facts, why_not)
    if asked.url is not None:
        url = canonical(asked.url) or asked.url
        return FoundPages([await pages.state_of(listed.subscription, url)])
    found: list[PageState] = []
    after: str | None = None
    while True:
        page = await pages.listed(listed.subscription, after, PAGE, removed=asked.removed)
        found += page.items
        after = page.next
        if after is None:
            return FoundPages(found, listed.without_room)


def print_pages(found: FoundPages) -> None:
    """Print two lines for each page: its state and URL, then why."""
    for line in shown_pages(found.pages):
        print(line)
    say(f"{len(found.pages)} pages.")
    if full := found.without_room:
        say(f"{without_room_text(full.count)}; with --removed they are listed.")


def shown_pages(pages: Sequence[PageState]) -> Iterator[str]:
    """Yield the lines of pages.

    >>> next(shown_pages([PageState("https://example.org/a", "watched", "")]))
    'watched  https://example.org/a'
    """
    for page in pages:
        yield f"{page.state}  {printable(page.url)}"
        yield f"    {printable(page.reason)}"
