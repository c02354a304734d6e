"""``vokter history``: the changes of all views that a manager watches, as a table."""

from collections import defaultdict
from collections.abc import AsyncIterator, Iterator, Sequence
from dataclasses import dataclass
from itertools import islice
from pathlib import Path

from connectors.history_files.rows import HistoryRow, rows_of
from connectors.history_files.writers import row_file
from connectors.stores.opening import Store
from connectors.stores.ports import PAGES_OF_CRAWL
from schemas.records.changes import Change
from schemas.records.subscriptions import Subscription
from schemas.records.urls import canonical
from streams.cli.output import say
from streams.cli.progress import counted
from streams.cli.setup.existing_store import check_store_exists
from streams.effects.clock import now
from streams.effects.connections import opened_store
from streams.settings import Settings

PAGE = 200
"""Subscriptions, or changes, that are read at a time."""
MAX_CRAWLS = 1_000
"""Crawls of which the pages are saved, the newest first."""
ROWS = 5_000
"""Rows that are written at a time, at most, of what one page of changes has."""


@dataclass(frozen=True, slots=True)
class HistoryAsked:
    """Whose changes are saved: those of some pages, or of all, of the last ``since`` seconds."""

    manager: str
    urls: Sequence[str] = ()
    since: int | None = None


async def save_history(settings: Settings, asked: HistoryAsked, file: Path) -> None:
    """Save changes to a file, newest first for each page and each that watched it.

    Raises FormatUnavailable, LookupError for a page without history, and errors of the store.
    """
    check_store_exists(settings)
    changes = rows = 0
    with row_file(file) as write:
        async with opened_store(settings) as store:
            async for page in counted(_pages(store, asked), "pages of changes"):
                changes += len(page)
                found = _rows(page)
                while part := list(islice(found, ROWS)):
                    rows += len(part)
                    write(part)
    say(f"Saved {rows:,} rows of {changes:,} changes in {file}.")


def _rows(page: Sequence[Change]) -> Iterator[HistoryRow]:
    return (row for fact in page for row in rows_of(fact))


async def _pages(store: Store, asked: HistoryAsked) -> AsyncIterator[Sequence[Change]]:
    since = 0 if asked.since is None else now() - 1000 * asked.since
    left = {url: canonical(url) or url for url in asked.urls}
    urls, begun = set(left.values()), set[tuple[str, str, str]]()
    spans: defaultdict[tuple[str, str], list[tuple[int, int]]] = defaultdict(list)
    async for url, view, crawl in _views(store, asked.manager):
        source = url, view, "" if crawl is None else crawl.id
        if source in begun or (urls and url not in urls):
            continue
        begun.add(source)
        left = {given: known for given, known in left.items() if known != url}
        pages = _history(store, asked.manager, url, view, since)
        if crawl is not None:
            pages = _of_covered(store, crawl, url, since)
        async for page in _not_saved(pages, spans[url, view]):
            yield page
    if left:
        given = ", ".join(left)
        raise LookupError(f"The manager {asked.manager!r} has no kept subscription of {given}.")


async def _not_saved(
    pages: AsyncIterator[Sequence[Change]], spans: list[tuple[int, int]]
) -> AsyncIterator[Sequence[Change]]:
    """Yield the changes outside the times (epoch ms) that are saved; then these are saved, too.

    A page may be watched by a subscription and by crawls, each at its time.
    """
    saved, first, last = tuple(spans), None, 0
    async for page in pages:
        if page:  # newest first
            first, last = page[-1].at, max(last, page[0].at)
        yield [each for each in page if not any(a <= each.at <= b for a, b in saved)]
    if first is not None:
        spans.append((first, last))


async def _views(store: Store, manager: str) -> AsyncIterator[tuple[str, str, Subscription | None]]:
    """Yield each page (its URL) and view (its id) that a manager has subscriptions of.

    Then those that its crawls cover, or did, with the crawl.
    """
    after: str | None = None
    while True:
        page = await store.subscriptions.page(manager, after, PAGE)
        for listed in page.items:
            yield listed.subscription.url, listed.subscription.view_id, None
        if (after := page.next) is None:
            break
    for crawl in await store.subscriptions.crawls(manager, MAX_CRAWLS):
        async for url in _covered(store, crawl):
            yield url, crawl.view_id, crawl


async def _covered(store: Store, crawl: Subscription) -> AsyncIterator[str]:
    """Yield the pages that a crawl covers, and those that it has removed."""
    for kind in PAGES_OF_CRAWL:
        after: str | None = None
        while True:
            page = await store.facts.of_client(kind, crawl.manager, crawl.id, after, PAGE)
            for fact in page.items:
                yield fact.url
            if (after := page.next) is None:
                break


async def _history(
    store: Store, manager: str, url: str, view: str, since: int
) -> AsyncIterator[Sequence[Change]]:
    """Yield the changes of a page in a view, from a time (epoch ms) on."""
    after: str | None = None
    while True:
        found = await store.facts.history(manager, url, view, since, after, PAGE)
        if found is None:
            return
        yield found.changes
        if (after := found.next) is None:
            return


async def _of_covered(
    store: Store, crawl: Subscription, url: str, since: int
) -> AsyncIterator[Sequence[Change]]:
    """Yield the changes of a page while a crawl covered it, from a time (epoch ms) on."""
    after: str | None = None
    while True:
        found = await store.facts.changes(crawl.manager, url, after, PAGE, crawl.id)
        if found is None:
            return
        yield [fact for fact in found.items if fact.at >= since]
        if (after := found.next) is None or found.items[-1].at < since:
            return
