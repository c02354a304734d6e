"""One change against many subscriptions of one document: the index and a plain loop over all.

CPU time, medians, all in one run.
"""

import gc
import random
import tracemalloc
from collections.abc import Callable
from functools import partial
from statistics import median
from time import thread_time

import numpy as np
from pybloom_live import BloomFilter
from rich.console import Group
from rich.table import Table

from bench import naive
from bench.measuring import Run, timed
from bench.workload import KEYWORDS, LANGUAGE, LENGTH, SENTENCES, change, subscription, vocabulary
from schemas.records.changes import Region
from schemas.records.subscriptions import Subscription
from streams.matching.index.subscription_index import SubscriptionIndex
from streams.matching.matcher import Matcher

PACKAGES = ("numpy", "pybloom-live", "PyStemmer")
EVENTS = 15
LOOPED = 2_000_000
"""Subscriptions that the loop compares for each size, once for each change."""
OTHER = "de"


def table(run: Run) -> Group:
    """Measure indexes of a thousand subscriptions to the largest, then pauses and the gates."""
    chance = random.Random(run.seed)  # noqa: S311 - to be repeated, not to be secret
    words = vocabulary(chance)
    tables = []
    for name, keyword in KEYWORDS.items():
        everyone = [subscription(n, keyword(words, chance), chance) for n in range(run.largest)]
        tables.append(growth(name, everyone, words, chance))
    return Group(*tables, pauses(everyone), gates(words, chance))


def growth(
    name: str, everyone: list[Subscription], words: list[str], chance: random.Random
) -> Table:
    """Measure indexes of more and more of the subscriptions."""
    table = Table("subscriptions", "loop ms", "match ms", "ratio", "growth", "notified", "found",
                  "notify ms", "add µs", "bytes each", title=f"keywords of {name}")  # fmt: skip
    size, first = 1_000, 0.0
    while size <= len(everyone):
        loop, match, notify, found, matched, add, memory = measured(everyone[:size], words, chance)
        first = first or match
        table.add_row(f"{size:,}", f"{loop:,.1f}", f"{match:.2f}", f"{loop / match:,.0f}",
                      f"{match / first:.1f}", f"{matched:.0f}", f"{found:.0f}", f"{notify:.2f}",
                      f"{add:.1f}", f"{memory:.0f}")  # fmt: skip
        size *= 10
    return table


def measured(
    everyone: list[Subscription], words: list[str], chance: random.Random
) -> tuple[float, ...]:
    """Return ms by loop, by index and of notifying, found, matched, µs an addition, bytes each."""
    SubscriptionIndex(everyone[:2_000]).find(Matcher([], LANGUAGE).words)
    adding, index = timed(lambda: SubscriptionIndex(everyone))
    index.find(Matcher([], LANGUAGE).words)  # the stems of this language, once
    changes = [change(everyone, words, chance) for _ in range(EVENTS)]
    by_index = [timed(lambda each=each: matched(index, each)) for each in changes]  # type: ignore[misc]
    plain = naive.compiled(everyone, LANGUAGE)
    looped = changes[: max(1, LOOPED // len(everyone))]
    by_loop = [timed(partial(naive.matching_ids, plain, each, LANGUAGE)) for each in looped]
    for (_, quick), (_, slow) in zip(by_index, by_loop, strict=False):
        assert {each.id for each in quick} == set(slow), "the index and the loop differ"
    notifying = [notified(index, each) for each in changes]
    return (
        median(time for time, _ in by_loop) * 1e3,
        median(time for time, _ in by_index) * 1e3,
        median(notifying) * 1e3,
        median(len(index.find(Matcher(each, LANGUAGE).words)) for each in changes),
        median(len(found) for _, found in by_index),
        adding / len(everyone) * 1e6,
        memory(everyone) / len(everyone),
    )


def matched(index: SubscriptionIndex, regions: list[Region]) -> list[Subscription]:
    """Return the subscriptions that a change matches."""
    matcher = Matcher(regions, LANGUAGE)
    return list(filter(matcher.concerns, index.find(matcher.words)))


def notified(index: SubscriptionIndex, regions: list[Region]) -> float:
    """Return the time it takes to make the diffs and snippets of all notifications."""
    matcher = Matcher(regions, LANGUAGE)
    concerned = list(filter(matcher.concerns, index.find(matcher.words)))
    return timed(lambda: list(map(matcher.diffs, concerned)))[0]


def pauses(everyone: list[Subscription]) -> Table:
    """Measure what stops the loop: one addition, one removal, the first change in a language."""
    index = SubscriptionIndex(everyone)
    moved = everyone[: len(everyone) // 3]
    rows = {"removal": each(index.remove, moved)}
    rows["addition"] = each(index.add, moved)
    for language in (LANGUAGE, OTHER):
        words = Matcher([], language).words
        rows[f"first change in {language}"] = [timed(lambda words=words: index.find(words))[0]]  # type: ignore[misc]
    table = Table("", "mean µs", "worst ms", title=f"one at a time, {len(everyone):,} there")
    for name, times in rows.items():
        mean = sum(times) / len(times)
        table.add_row(name, f"{mean * 1e6:,.1f}", f"{max(times) * 1e3:,.1f}")
    return table


def each(work: Callable[[Subscription], None], subscriptions: list[Subscription]) -> list[float]:
    """Return the seconds that a call takes with each."""
    times = []
    for one in subscriptions:
        start = thread_time()
        work(one)
        times.append(thread_time() - start)
    return times


def memory(everyone: list[Subscription]) -> int:
    """Return the bytes that an index frees when it is deleted, without the subscriptions."""
    tracemalloc.start()
    index = SubscriptionIndex(everyone)
    index.find(Matcher([], LANGUAGE).words)
    gc.collect()
    full = tracemalloc.get_traced_memory()[0]
    del index
    gc.collect()
    used = full - tracemalloc.get_traced_memory()[0]
    tracemalloc.stop()
    return used


def gates(words: list[str], chance: random.Random) -> Table:
    """Ask 200 words, none of which is there, of each that can say so."""
    held, asked = [f"{word}x" for word in words], chance.sample(words, SENTENCES * LENGTH)
    bloom, plain = BloomFilter(len(held), 0.01), set(held)
    filling, _ = timed(lambda: [bloom.add(word) for word in held])
    hashes = np.sort(np.fromiter(map(hash, held), np.int64, len(held)))
    rows: dict[str, Callable[[], object]] = {
        "Bloom filter": lambda: [word in bloom for word in asked],
        "set": lambda: plain.isdisjoint(asked),
        "sorted hashes": lambda: np.searchsorted(
            hashes, np.fromiter(map(hash, asked), np.int64, len(asked))
        ),
    }
    title = f"200 words asked of {len(held):,}; filling the filter {filling:.2f} s"
    table = Table("asked", "µs", title=title)
    for name, ask in rows.items():
        table.add_row(name, f"{median(timed(ask)[0] for _ in range(101)) * 1e6:,.0f}")
    return table
