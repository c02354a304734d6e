"""One change against many subscriptions of one document: the index and a loop over all.

CPU time, medians, all in one run.
"""

import gc
import random
import tracemalloc
from collections.abc import Callable, Iterable
from statistics import median

import numpy as np
from pybloom_live import BloomFilter
from rich.console import Group
from rich.table import Table

from bench.measuring import Run, timed
from schemas.facts import Hunk, Passage, Subscription
from streams.core.index import Index
from streams.core.index_terms import ChangeWords
from streams.core.matching import Matcher
from streams.core.registrations import by_age

PACKAGES = ("numpy", "pybloom-live", "PyStemmer")
PASSAGES, LENGTH, PLANTED = 40, 5, 10
"""A change has 40 passages of 5 words; in 10 of them is some subscription's keyword."""
VOCABULARY = 200_000
EVENTS = 15
LANGUAGE = "en"
_SYLLABLES = [first + second for first in "bdfgklmnprstvz" for second in "aeiou"]


def table(run: Run) -> Group:
    """Measure indexes of a thousand subscriptions to the largest, then the gates."""
    chance = random.Random(run.seed)  # noqa: S311 - to be repeated, not to be secret
    words = vocabulary(chance)
    everyone = [subscription(n, words, chance) for n in range(run.largest)]
    table = Table("subscriptions", "loop ms", "index ms", "ratio", "growth", "found", "told",
                  "add µs", "bytes each", title="one change, one document")  # fmt: skip
    size, first = 1_000, 0.0
    while size <= run.largest:
        row = measured(everyone[:size], words, chance)
        first = first or row[1]
        loop, index, found, told, add, memory = row
        table.add_row(f"{size:,}", f"{loop:,.1f}", f"{index:.2f}", f"{loop / index:,.0f}",
                      f"{index / first:.1f}", f"{found:.0f}", f"{told:.0f}", f"{add:.1f}",
                      f"{memory:.0f}")  # fmt: skip
        size *= 10
    return Group(table, gates(words, chance))


def vocabulary(chance: random.Random) -> list[str]:
    """Give different made-up words of two to five syllables."""
    words: dict[str, None] = {}
    while len(words) < VOCABULARY:
        words["".join(chance.choices(_SYLLABLES, k=chance.randint(2, 5)))] = None
    return list(words)


def subscription(number: int, words: list[str], chance: random.Random) -> Subscription:
    """Give a subscription of a keyword of one to three words, and any options."""
    keyword = " ".join(chance.choices(words, k=chance.choice((1, 2, 2, 3))))
    stems, filters, folds = (chance.random() < 0.5 for _ in range(3))
    return Subscription(
        f"{number}", "w", "default", "http://document.test/", "http://document.test/",
        f"http://client.test/{number}", None, (keyword,), None, 600, False, False,
        stems, filters, folds, 50, number,
    )  # fmt: skip


def change(everyone: list[Subscription], words: list[str], chance: random.Random) -> list[Hunk]:
    """Give passages of words as they are in texts, a few of them common, and a few keywords."""
    ranks = (int(len(words) ** chance.random()) for _ in range(PASSAGES * LENGTH))
    common = [words[rank - 1] for rank in ranks]
    passages = [common[n::PASSAGES] for n in range(PASSAGES)]
    for passage, told in zip(passages, chance.sample(everyone, PLANTED), strict=False):
        passage[: len(told.keywords[0].split())] = told.keywords[0].split()
    return [Hunk(None, Passage(" ".join(each), 0, "", "")) for each in passages]


def measured(
    everyone: list[Subscription], words: list[str], chance: random.Random
) -> tuple[float, float, float, float, float, float]:
    """Give ms by loop and by index, found, told, µs an addition, bytes a subscription."""
    Index(everyone[:2_000]).find(ChangeWords(change(everyone, words, chance), LANGUAGE))
    adding, index = timed(lambda: Index(everyone))
    index.find(ChangeWords([], LANGUAGE))  # the stems of this language, once
    changes = [change(everyone, words, chance) for _ in range(EVENTS)]
    by_index = [timed(lambda each=each: searched(index, each)) for each in changes]  # type: ignore[misc]
    looped = changes if len(everyone) <= 10_000 else changes[: max(1, 300_000 // len(everyone))]
    by_loop = [timed(lambda each=each: told(everyone, each)) for each in looped]  # type: ignore[misc]
    for (_, quick), (_, slow) in zip(by_index, by_loop, strict=False):
        assert quick[1] == slow, "the index and the loop differ"
    return (
        median(time for time, _ in by_loop) * 1e3,
        median(time for time, _ in by_index) * 1e3,
        median(found for _, (found, _) in by_index),
        median(len(ids) for _, (_, ids) in by_index),
        adding / len(everyone) * 1e6,
        memory(everyone) / len(everyone),
    )


def searched(index: Index, hunks: list[Hunk]) -> tuple[int, list[str]]:
    """Give how many subscriptions the index finds, and who of them is told."""
    found = by_age(index.find(ChangeWords(hunks, LANGUAGE)))
    return len(found), told(found, hunks)


def told(subscriptions: Iterable[Subscription], hunks: list[Hunk]) -> list[str]:
    """Give who is told of a change, looking at each subscription."""
    matcher = Matcher(hunks, LANGUAGE)
    return [each.id for each in subscriptions if matcher.diffs(each)[0]]


def memory(everyone: list[Subscription]) -> int:
    """Give the bytes that are free again once an index is gone, the subscriptions staying."""
    tracemalloc.start()
    index = Index(everyone)
    index.find(ChangeWords([], LANGUAGE))
    gc.collect()
    full = tracemalloc.get_traced_memory()[0]
    del index
    gc.collect()
    used = full - tracemalloc.get_traced_memory()[0]
    tracemalloc.stop()
    return used


def gates(words: list[str], chance: random.Random) -> Table:
    """Ask 200 words, none of which is there, of each that can say so."""
    held, asked = [f"{word}x" for word in words], chance.sample(words, PASSAGES * LENGTH)
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
