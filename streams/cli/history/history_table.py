"""``vokter history``: the changes of all views of a manager, as a table."""

from collections import defaultdict
from collections.abc import AsyncIterator, Sequence
from dataclasses import dataclass
from functools import partial
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from schemas.records.urls import canonical
from streams.cli.groups import command_app
from streams.cli.jobs.arguments import Since
from streams.cli.options import DataDir, Manager, run, settings_of
from streams.cli.output import say
from streams.effects.clock import now

if TYPE_CHECKING:
    from connectors.stores.opening import Store
    from schemas.records.changes import Change
    from schemas.records.subscriptions import Subscription
    from streams.settings import Settings

app = command_app()

PAGE = 200
"""Subscriptions, or changes, read at a time."""
MAX_CRAWLS = 1_000
"""Crawls of which the pages are saved, the newest first."""
ROWS = 5_000
"""The most rows written at a time from a page of changes."""


@app.command("history")
def history_command(
    file: Annotated[
        Path, typer.Argument(help="NAME.jsonl, NAME.jsonl.gz or NAME.parquet.", metavar="FILE")
    ],
    url: Annotated[
        list[str] | None, typer.Option(help="Only of this page; may be repeated.")
    ] = None,
    since: Since = None,
    manager: Manager = "default",
    data_dir: DataDir = None,
) -> None:
    """Save the changes that are kept as a table: one row for each sentence that changed.

    Parquet needs the library pyarrow.
    """
    asked = AskedHistory(manager, tuple(url or ()), since)
    run(save_history(settings_of(data_dir=data_dir), asked, file))


@dataclass(frozen=True, slots=True)
class AskedHistory:
    """The changes of a manager to save: of some pages, or of all, in ``since`` seconds."""

    manager: str
    urls: Sequence[str] = ()
    since: int | None = None


async def save_history(settings: "Settings", asked: AskedHistory, file: Path) -> None:
    """Save changes to a file, newest first for each page and each of its subscriptions.

    Raises FormatUnavailable, LookupError for a page without history, and errors of the store.
    """
    from connectors.history_files.rows import rows_of
    from connectors.history_files.writers import row_file
    from streams.cli.progress import counted
    from streams.cli.setup.existing_store import existing_store

    changes = rows = 0
    async with existing_store(settings) as store:
        with row_file(file) as write:
            async for page in counted(_pages(store, asked), "pages of changes"):
                changes += len(page)
                found = (row for fact in page for row in rows_of(fact))
                while part := list(islice(found, ROWS)):
                    rows += len(part)
                    write(part)
    say(f"Saved {rows:,} rows of {changes:,} changes in {file}.")


async def _pages(store: "Store", asked: AskedHistory) -> AsyncIterator[Sequence["Change"]]:
    from streams.cli.setup.existing_store import listing_pages

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
        pages: AsyncIterator[Sequence[Change]]
        if crawl is None:
            read = partial(store.facts.history, asked.manager, url, view, since, limit=PAGE)
            pages = (page.changes async for page in listing_pages(read))
        else:
            pages = _covered_changes(store, crawl, url, since)
        async for page in _not_saved(pages, spans[url, view]):
            yield page
    if left:
        given = ", ".join(left)
        raise LookupError(f"The manager {asked.manager!r} has no kept subscription of {given}.")


async def _not_saved(
    pages: AsyncIterator[Sequence["Change"]], spans: list[tuple[int, int]]
) -> AsyncIterator[Sequence["Change"]]:
    """Yield the changes outside the saved times (epoch ms); then these are saved, too.

    A page may be watched by a subscription and by crawls, each at its time.
    """
    saved, first, last = tuple(spans), None, 0
    async for page in pages:
        if page:  # newest first
            first, last = page[-1].at, max(last, page[0].at)
        yield [each for each in page if not any(a <= each.at <= b for a, b in saved)]
    if first is not None:
        spans.append((first, last))


async def _views(
    store: "Store", manager: str
) -> AsyncIterator[tuple[str, str, "Subscription | None"]]:
    """Yield each page (its URL) and view (its id) of a manager's subscriptions.

    Then the pages of its crawls, now or before, with the crawl.
    """
    from connectors.stores.ports import PAGES_OF_CRAWL
    from streams.cli.setup.existing_store import listing_pages

    async for page in listing_pages(partial(store.subscriptions.page, manager, limit=PAGE)):
        for listed in page.items:
            yield listed.subscription.url, listed.subscription.view_id, None
    for crawl in await store.subscriptions.crawls(manager, MAX_CRAWLS):
        for kind in PAGES_OF_CRAWL:
            covered = partial(store.facts.of_client, kind, manager, crawl.id, limit=PAGE)
            async for facts in listing_pages(covered):
                for fact in facts.items:
                    yield fact.url, crawl.view_id, crawl


async def _covered_changes(
    store: "Store", crawl: "Subscription", url: str, since: int
) -> AsyncIterator[Sequence["Change"]]:
    """Yield the changes of a page while covered by a crawl, from a time (epoch ms) on."""
    from streams.cli.setup.existing_store import listing_pages

    read = partial(store.facts.changes, crawl.manager, url, limit=PAGE, subscription=crawl.id)
    async for page in listing_pages(read):
        yield [fact for fact in page.items if fact.at >= since]
        if page.items and page.items[-1].at < since:
            return
