"""Searches among very many changes: ``python -m bench.searching [CHANGES]``.

Changes of paragraphs of the project's documents are recorded for 1,000 watches of a manager, each
with a notification, and as many for others. What searches take by the clock is printed, and how
much of the store the index is.
"""

import asyncio
import random
import re
import sqlite3
import sys
from collections.abc import Iterator
from contextlib import closing
from dataclasses import replace
from itertools import islice
from pathlib import Path
from statistics import quantiles
from tempfile import TemporaryDirectory
from time import perf_counter, process_time

from rich.console import Console
from rich.table import Table

from connectors.reads.change_search import ChangeSearches
from connectors.stores.opening import open_store
from schemas.records.changes import Diff, DocumentChanged
from schemas.records.facts import Fact
from schemas.records.subscription_facts import Subscribed
from streams.diff.regions import changed_regions
from streams.effects.search import search_words, terms_of
from streams.settings import Settings
from tests.fakes.notifications import NOTIFICATION
from tests.fakes.subscriptions import subscription

CHANGES, WATCHES, EDITS = 100_000, 1_000, 2_000
BATCH, TIMES, PER_PAGE = 500, 100, 30
NOW, EVERY_MS = 1_699_000_000_000, 20_000
DOCS = Path(__file__).parents[1] / "docs"
SEARCHES = ("the", "store", "subscriptions page", "notified webhooks", '"a page"', "sqlite rebuild",
            "nowhere", "kafka broker topic partition", '"the of"')  # fmt: skip
_INDEX = """
    SELECT (SELECT sum(pgsize) FROM dbstat('main', 1) WHERE name LIKE 'search%'),
    (SELECT sum(length(words)) FROM facts WHERE kind = 'change'),
    (SELECT sum(pgsize) FROM dbstat('main', 1)),
    (SELECT sum(length(fact) + length(words)) FROM facts WHERE kind = 'notification')
"""


def edits(chance: random.Random) -> list[DocumentChanged]:
    """Return changes of paragraphs: one or two sentences are gone, and others are new."""
    texts = [path.read_text("utf-8") for path in sorted(DOCS.rglob("*.md"))]
    blocks = [block for text in texts for block in re.split(r"\n\n+", text) if "|" not in block]
    sentences = [part for block in blocks for part in re.split(r"(?<=[.:]) ", block) if part]
    found = []
    for number in range(EDITS):
        before = chance.choice(blocks)
        parts = re.split(r"(?<=[.:]) ", before)
        parts[chance.randrange(len(parts))] = chance.choice(sentences)
        after = f"{' '.join(parts)} {chance.choice(sentences)}"
        regions = tuple(changed_regions(before, after))
        found.append(
            DocumentChanged("", "", "w", number, 0, "text/html", "en", regions, 0, title="Docs")
        )
    return found


def facts(count: int) -> Iterator[Fact]:
    """Yield the watches, then each change for one of them with its notification."""
    chance = random.Random(7)  # noqa: S311
    known = edits(chance)
    for number in range(2 * WATCHES):
        manager = "default" if number % 2 else "others"
        here = url(number)
        one = subscription(f"s{number}", manager=manager, document_url=here, url=here, created=1)
        yield Subscribed("r", one, here, None, 1)
    for number in range(count):
        page, at = chance.randrange(2 * WATCHES), NOW + number * EVERY_MS
        change = chance.choice(known)
        key = f"{number:032x}"
        yield replace(change, id=key, url=url(page), at=at, slot=at)
        place = change.regions[0].added or change.regions[0].removed
        text = place.text if place else ""
        diff = Diff("added", "page", text, text[:160], "edited", text, text)
        yield replace(
            NOTIFICATION, id=key, change=key, subscription=f"s{page}", diffs=(diff,), at=at
        )


def url(number: int) -> str:
    """Return the address of a watched page."""
    return f"https://host-{number % 100}.test/page/{number}"


async def main(count: int) -> None:
    """Record, search, and print what it took."""
    settings = Settings()
    with TemporaryDirectory() as folder:
        path = Path(folder) / "store.db"
        store = await open_store(f"sqlite:{path}")
        rest, terms, begun = facts(count), terms_of(settings), perf_counter()
        while batch := list(islice(rest, BATCH)):
            await store.read_side.record(batch, terms=terms)
        seconds = perf_counter() - begun
        table = await _searched(ChangeSearches(store.search, search_words(settings)))
        await store.close()
        console = Console()
        console.print(f"{count:,} changes were recorded in {seconds:.0f} s.")
        console.print(table)
        console.print(_size(path))


async def _searched(searches: ChangeSearches) -> Table:
    table = Table("search", "found", "p50 ms", "p95 ms", "CPU p50 ms", "CPU p95 ms")
    for text in SEARCHES:
        times: list[float] = []
        cpu: list[float] = []
        found = 0
        for _ in range(TIMES):
            begun, cpu_begun = perf_counter(), process_time()
            phrases = searches.phrases(text)
            page = await searches.found("default", phrases, 0, None, PER_PAGE)
            found = len(searches.hits(page, phrases).items)
            times.append(1000 * (perf_counter() - begun))
            cpu.append(1000 * (process_time() - cpu_begun))
        parts = (quantiles(each, n=20) for each in (times, cpu))
        cuts = [f"{each[at]:.1f}" for each in parts for at in (9, 18)]
        table.add_row(text, str(found), *cuts)
    return table


def _size(path: Path) -> str:
    with closing(sqlite3.connect(path)) as store:
        index, words, every, notifications = store.execute(_INDEX).fetchone()
    more = index + words
    return (
        f"The index takes {more / 1e6:.0f} MB, {more / (every - more):.0%} of the other "
        f"{(every - more) / 1e6:.0f} MB ({more / (every - more - notifications):.0%} of what is "
        "there without notifications)."
    )


if __name__ == "__main__":
    asyncio.run(main(int(sys.argv[1]) if len(sys.argv) > 1 else CHANGES))
