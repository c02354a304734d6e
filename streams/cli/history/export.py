"""``vokter history``: the changes of all views that a manager has subscriptions of, as a table."""

from collections.abc import AsyncIterator, Iterator, Sequence
from dataclasses import dataclass
from itertools import islice
from pathlib import Path

from connectors.history_files.rows import HistoryRow, rows_of
from connectors.history_files.writers import row_file
from connectors.stores.opening import Store
from schemas.changes import Change
from schemas.urls import canonical
from streams.cli.output import say
from streams.cli.progress import counted
from streams.cli.setup.existing_store import check_store_exists
from streams.clock import now
from streams.settings import Settings
from streams.wiring.connections import opened_store

PAGE = 200
"""Subscriptions, or changes, that are read at a time."""
ROWS = 5_000
"""Rows that are written at a time, at most, of what one page of changes has."""


@dataclass(frozen=True, slots=True)
class HistoryAsked:
    """Whose changes are saved: those of some pages, or of all, of the last ``since`` seconds."""

    manager: str
    urls: Sequence[str] = ()
    since: int | None = None


async def save_history(settings: Settings, asked: HistoryAsked, file: Path) -> None:
    """Save changes to a file, newest first for each page.

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
    async for url, view in _views(store, asked.manager, set(left.values())):
        left = {given: known for given, known in left.items() if known != url}
        after: str | None = None
        while True:
            found = await store.facts.history(asked.manager, url, view, since, after, PAGE)
            if found is None:
                break
            yield found.changes
            if (after := found.next) is None:
                break
    if left:
        given = ", ".join(left)
        raise LookupError(f"The manager {asked.manager!r} has no kept subscription of {given}.")


async def _views(store: Store, manager: str, urls: set[str]) -> AsyncIterator[tuple[str, str]]:
    """Yield each page (its URL) and view (its id) that a manager has subscriptions of."""
    seen: set[tuple[str, str]] = set()
    after: str | None = None
    while True:
        page = await store.subscriptions.page(manager, after, PAGE)
        for listed in page.items:
            one = listed.subscription
            if (not urls or one.url in urls) and (one.url, one.view_id) not in seen:
                seen.add((one.url, one.view_id))
                yield one.url, one.view_id
        if (after := page.next) is None:
            return
