"""The page with very many subscriptions: ``python -m bench.browsing [SUBSCRIPTIONS]``.

What a request for each view takes the server. Server, store and client are in one process;
nothing else is asked of it meanwhile. How many queries a view makes is tested in
tests/connectors/page/test_queries.py.
"""

import asyncio
import gc
import sys
import tempfile
from collections.abc import Callable, Iterator
from contextlib import AbstractAsyncContextManager
from dataclasses import replace
from functools import partial
from itertools import islice
from pathlib import Path
from statistics import quantiles
from time import perf_counter, process_time

from aiohttp import ClientResponse, ClientSession, CookieJar
from rich.console import Console
from rich.table import Table

from schemas.records.changes import DocumentChanged
from schemas.records.deliveries import DeliveryFailed
from schemas.records.documents import Document
from schemas.records.facts import Fact
from schemas.records.judgements import Suppressed
from schemas.records.subscription_facts import Subscribed
from schemas.records.subscriptions import Receiver
from schemas.records.watches import Watch
from streams.diff.regions import changed_regions
from streams.text.change_terms import change_terms
from tests.connectors.page.session.test_guard import token_of
from tests.fakes.notifications import NOTIFICATION
from tests.fakes.subscriptions import subscription
from tests.harness.page import ServedPage, serving_page
from tests.harness.pages import site

SUBSCRIPTIONS, RECEIVERS = 100_000, 1_000
BATCH = 2_000
TIMES = 40
NOW = 1_699_000_000_000
HOOK = "http://client.test/hook-{}"
REGIONS = tuple(changed_regions("Io sleeps.\n\nGone.", "Argus sleeps.\n\nNew.\n\nNewer."))
VIEWS = {
    "watches": "/",
    "watches, searched": "/?q=page+{middle}+",
    "watches, found at once": "/?q=host-7",
    "watches, nothing found": "/?q=nowhere",
    "a watch": "/watch/s{middle}",
    "a change": "/watch/s{middle}/change/c{middle}",
    "two texts": "/watch/s{middle}/compare",
    "add": "/add",
    "edit": "/watch/s{middle}/edit",
    "duplicate": "/watch/s{middle}/duplicate",
    "news": "/news",
    "news of a receiver": "/news?client=" + HOOK.format(7),
    "search": "/search?q=argus",
    "suppressed": "/suppressed",
    "deliveries": "/deliveries",
    "deliveries of a receiver": "/deliveries?client=" + HOOK.format(7),
    "channels": "/channels",
    "feeds": "/feeds",
    "pipeline": "/pipeline",
    "dead letters": "/dead-letters",
}


def url(number: int) -> str:
    """Return the address of a watched page."""
    return f"http://host-{number % 5_000}.test/page/{number}"


def facts(count: int) -> Iterator[Fact]:
    """Yield each subscription with a change, a notification and a failed delivery."""
    for number in range(count):
        at, page, client = NOW + number, url(number), HOOK.format(number % RECEIVERS)
        key, hook = f"s{number}", Receiver(client)
        watch, words = Watch(f"w{number}", 600), (f"page {number} of this", "argus")
        yield Subscribed(
            "r",
            subscription(
                key, document_url=page, url=page, receiver=hook, keywords=words, created=at
            ),
            page,
            watch,
            at,
        )
        yield DocumentChanged(
            f"c{number}", page, f"w{number}", at, 0, "text/html", "en", REGIONS, at
        )
        yield replace(
            NOTIFICATION, id=f"n{number}", subscription=key, receiver=hook, url=page, at=at
        )
        yield DeliveryFailed(f"n{number}", key, "default", client, 10, "HTTP 500", at, 500)


async def filled(served: ServedPage, count: int) -> None:
    """Fill the store as RECORD and FETCH do."""
    rest = facts(count)
    while batch := list(islice(rest, BATCH)):
        await served.store.read_side.record(batch, terms=lambda fact: change_terms(fact, "en"))
    news = replace(NOTIFICATION, because="It is about cookies.")
    suppressed = (Suppressed(replace(news, id=f"x{number}"), NOW) for number in range(RECEIVERS))
    await served.store.read_side.record(list(suppressed))
    for first in range(0, count, BATCH):
        numbers = range(first, min(first + BATCH, count))
        documents = (Document(url(n), f"w{n}", NOW, NOW, title=f"Page {n}") for n in numbers)
        put = served.store.snapshots.compare_and_set
        await asyncio.gather(*(put(document, 0) for document in documents))
        await served.store.snapshots.record_checks(
            [(url(number), f"w{number}", NOW) for number in numbers]
        )


async def table(served: ServedPage, count: int) -> Table:
    """Ask for each view in turn, and for the preview of a page."""
    result = Table("view", "p50 ms", "p95 ms", "CPU ms", "KB", title="The page")
    async with (
        ClientSession(served.base, cookie_jar=CookieJar(unsafe=True)) as http,
        site() as pages,
    ):
        for name, path in VIEWS.items():
            asked = partial(http.get, path.format(middle=count // 2))
            result.add_row(name, *await row(asked))
        form = {
            "token": await token_of(http, f"{served.base}/add"),
            "do": "preview",
            "url": pages.add("<h1>Argus sleeps.</h1>").url,
            "interval": "600",
        }
        previewed = partial(http.post, "/add", data=form, headers={"Origin": served.base})
        result.add_row("add, with a preview", *await row(previewed))
    return result


async def row(asked: Callable[[], AbstractAsyncContextManager[ClientResponse]]) -> list[str]:
    """Ask several times; returns the times and the size of an answer."""
    walls, size = list[float](), 0
    cpu = process_time()
    for _ in range(TIMES):
        begun = perf_counter()
        async with asked() as answer:
            assert answer.status == 200, (answer.url, answer.status)
            size = len(await answer.read())
        walls.append(1e3 * (perf_counter() - begun))
    cuts = quantiles(walls, n=20)
    spent = 1e3 * (process_time() - cpu) / TIMES
    return [f"{each:.0f}" for each in (cuts[9], cuts[18], spent, size / 1e3)]


async def main(count: int) -> None:
    """Fill a store and print the table."""
    out = Console()
    with tempfile.TemporaryDirectory() as folder:
        async with serving_page(Path(folder)) as served:
            out.print(f"filling a store with {count:,} subscriptions")
            await filled(served, count)
            gc.collect()
            gc.freeze()  # as a deployment does: here are the libraries of tests, too
            out.print(await table(served, count))


if __name__ == "__main__":
    asyncio.run(main(int(sys.argv[1]) if len(sys.argv) > 1 else SUBSCRIPTIONS))
