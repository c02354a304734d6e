"""Backtests of a long history: CPU of the process, and how long its event loop stood still.

``python -m bench.backtest [CHANGES] [SEED]``
"""

import asyncio
import sys
from collections.abc import Iterator
from pathlib import Path
from random import Random
from tempfile import TemporaryDirectory
from time import monotonic, process_time

from rich.console import Console
from rich.table import Table

from connectors.stores.opening import Store
from schemas.records.changes import DocumentChanged
from schemas.records.requests import Subscribe
from schemas.records.subscription_facts import Subscribed
from schemas.records.subscriptions import Options, Receiver, Subscription
from streams.agents.history.asked_subscription import subscription_of
from streams.agents.history.backtest import BacktestQuery, WorkLimits, backtest
from streams.agents.match.register.requests import Rules
from streams.diff.regions import changed_regions
from streams.effects.backtest import opened_backtests
from streams.effects.clock import now
from streams.effects.connections import opened_store
from streams.settings import Settings

URL = "https://example.org/giants"
PARAGRAPHS = 60
AT_ONCE = 500
"""Changes that are recorded at a time."""
UNLIMITED = WorkLimits(changes=10**9, cpu_s=1e9)


async def main(count: int, seed: int) -> None:
    """Record a history and print what backtests of it take."""
    table = Table(
        "keywords", "notifications", "CPU s", "longest stall ms", title=f"{count} changes"
    )
    random, letters = Random(seed), "abcdefghijklmnoprstuvw"  # noqa: S311  # repeatable
    words = ["".join(random.choices(letters, k=random.randint(2, 10))) for _ in range(3_000)]
    with TemporaryDirectory() as folder:
        settings = Settings(data_dir=Path(folder))
        async with opened_store(settings) as store:
            await _record(store, count, Random(seed), words)  # noqa: S311  # as above
            for name, asked in _asked(words).items():
                table.add_row(name, *await _backtested(settings, store, asked))
    Console().print(table)


def _asked(words: list[str]) -> dict[str, Subscription]:
    several, options = tuple(words[:10]), Options(ignore_case=True)
    stemmed = Options(ignore_case=True, enable_stemming=True, filter_stopwords=True)
    return {
        "one": _asked_for((words[0],), options),
        "ten, stemmed, stop words": _asked_for(several, stemmed),
        "ten, block": _asked_for(several, Options(ignore_case=True, scope="block")),
        "any change, no noise": _asked_for(("*",), Options(ignore_noise=True)),
    }


def _asked_for(keywords: tuple[str, ...], options: Options) -> Subscription:
    asked = Subscribe(URL, Receiver(session="bench"), keywords=keywords, options=options)
    found = subscription_of(Rules(min_interval=1), asked)
    assert isinstance(found, Subscription), "it is valid"
    return found


async def _backtested(
    settings: Settings, store: Store, asked: Subscription
) -> tuple[str, str, str]:
    stalls: list[float] = []
    watching = asyncio.create_task(_watch(stalls))
    async with opened_backtests(settings, store.facts) as effects:
        begun = process_time()
        found = await backtest(effects, asked, BacktestQuery(limits=UNLIMITED))
        seconds = process_time() - begun
    watching.cancel()
    return f"{found.tally.notifications}", f"{seconds:.2f}", f"{max(stalls) * 1e3:.0f}"


async def _watch(stalls: list[float]) -> None:
    """Note by how much each pause of 5 ms was longer."""
    while True:
        begun = monotonic()
        await asyncio.sleep(0.005)
        stalls.append(monotonic() - begun - 0.005)


async def _record(store: Store, count: int, random: Random, words: list[str]) -> None:
    begun = now() - 2 * count
    subscription = _asked_for(("*",), Options())
    facts: list[Subscribed | DocumentChanged] = [Subscribed("r", subscription, URL, None, begun)]
    for change in _changes(begun, count, random, words):
        facts.append(change)
        if len(facts) == AT_ONCE:
            await store.read_side.record(facts)
            facts.clear()
    await store.read_side.record(facts)


def _changes(begun: int, count: int, random: Random, words: list[str]) -> Iterator[DocumentChanged]:
    """Yield changes of one to three paragraphs: a third new, the others with one new word."""
    page = [_paragraph(random, words) for _ in range(PARAGRAPHS)]
    for at in range(begun, begun + count):
        old = "\n\n".join(page)
        for place in random.choices(range(PARAGRAPHS), k=random.randint(1, 3)):
            text, word = page[place], random.choice(words)
            edited = text.replace(random.choice(text.split()), word, 1)
            page[place] = _paragraph(random, words) if random.random() < 1 / 3 else edited
        regions = changed_regions(old, "\n\n".join(page), ())
        yield DocumentChanged(str(at), URL, "w", at, 0, "text/html", "en", regions, at)


def _paragraph(random: Random, words: list[str]) -> str:
    sentences = (" ".join(random.choices(words, k=random.randint(6, 18))) for _ in range(4))
    return " ".join(f"{sentence.capitalize()}." for sentence in sentences)


if __name__ == "__main__":
    numbers = [int(text) for text in sys.argv[1:]]
    asyncio.run(main(*(numbers + [10_000, 1][len(numbers) :])))
