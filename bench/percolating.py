"""One change of a page against many subscriptions for all pages of one manager.

They are spread over the partitions by their words. CPU time of both stages, medians: match
finds the partitions, and each of them reads the message and finds who is notified.
"""

import random
from collections import defaultdict
from dataclasses import replace
from statistics import median
from typing import NamedTuple

from rich.table import Table

from bench.measuring import Run, timed
from bench.workload import KEYWORDS, LANGUAGE, change, plain, vocabulary
from schemas.codec import wire
from schemas.records.changes import DocumentChanged, Region
from schemas.records.percolations import Percolate, StoreQuery, Watcher
from schemas.records.subscriptions import Subscription
from streams.agents.percolate.queries import Queries
from streams.matching.change_words import ChangeWords
from streams.matching.notifications import matcher_of
from streams.matching.terms.change_terms import change_terms
from streams.matching.terms.interests import Interests
from streams.matching.terms.notifying import is_for
from streams.matching.terms.terms import partition_of_term, placed, term_of
from streams.values.steps import completed

PACKAGES = ("numpy",)
PARTITIONS = 8
EVENTS = 15
MANAGER = Watcher("default", ())


class Percolated(NamedTuple):
    """What a change costs: seconds of match, of each partition, messages, and who is notified."""

    match: float
    partitions: list[float]
    found: set[str]


class Deployment:
    """The memory of percolate in all its partitions, and what match knows of it."""

    def __init__(self, everyone: list[Subscription]) -> None:
        """Store them, as subscriptions for all pages."""
        self.partitions = [Queries() for _ in range(PARTITIONS)]
        self.interests = Interests()
        by_partition: defaultdict[int, list[StoreQuery]] = defaultdict(list)
        for each in everyone:
            for partition, query in placed(each, PARTITIONS).items():
                by_partition[partition].append(query)
        for partition, queries in by_partition.items():
            for query in queries:
                self.partitions[partition].put(query)
            self.interests.put(self.partitions[partition].interest("default", partition))

    def percolate(self, regions: list[Region]) -> Percolated:
        """Match one change."""
        fact = DocumentChanged(
            "change", "http://document.test/", "w", 1, 0, "text/html", LANGUAGE, tuple(regions), 1
        )
        words = matcher_of(fact).words
        completed(words.search("sentence").prepare(()))  # match has done so for its own
        match, wanted = timed(lambda: self._wanted(fact, words))
        seconds, found = [], set[str]()
        for partition, message in wanted:
            spent, ids = timed(lambda p=partition, m=message: self._notified(p, m))  # type: ignore[misc]
            seconds.append(spent)
            found |= ids
        return Percolated(match, seconds, found)

    def _wanted(self, fact: DocumentChanged, words: ChangeWords) -> list[tuple[int, bytes]]:
        terms = completed(change_terms(words, blocks=False))
        wanted = self.interests.partitions("default", terms, terms, PARTITIONS)
        return [(each, wire.encode(Percolate(fact, (MANAGER,)))) for each in wanted]

    def _notified(self, partition: int, message: bytes) -> set[str]:
        fact = wire.decode(message, Percolate).change
        matcher = matcher_of(fact)
        found = completed(self.partitions[partition].concerned("default", matcher.words))
        ids = set[str]()
        for each in found:
            if is_for(each, fact.url, ()) and (words := completed(matcher.concerning(each))):
                term = term_of(words[0], each.options, LANGUAGE)
                if partition_of_term(term, PARTITIONS) == partition:
                    ids.add(each.id)
        return ids


def for_all_pages(everyone: list[Subscription]) -> list[Subscription]:
    """Return the same subscriptions, for all pages."""
    return [replace(each, url="pages:*") for each in everyone]


def table(run: Run) -> Table:
    """Measure ten thousand subscriptions to the largest."""
    chance = random.Random(run.seed)  # noqa: S311 - to be repeated, not to be secret
    words, keyword = vocabulary(chance), KEYWORDS["common and specific words"]
    everyone = [plain(n, keyword(words, chance), chance) for n in range(run.largest)]
    title = f"subscriptions for all pages of one manager, {PARTITIONS} partitions"
    table = Table("subscriptions", "store µs", "match ms", "percolate ms", "one partition ms",
                  "messages", "largest share", "notified", title=title)  # fmt: skip
    size = 10_000
    while size <= len(everyone):
        table.add_row(f"{size:,}", *_row(everyone[:size], words, chance))
        size *= 10
    return table


def _row(everyone: list[Subscription], words: list[str], chance: random.Random) -> list[str]:
    storing, deployment = timed(lambda: Deployment(for_all_pages(everyone)))
    changes = [change(everyone, words, chance) for _ in range(EVENTS + 1)]
    results = [deployment.percolate(each) for each in changes][1:]
    share = max(map(len, deployment.partitions)) / len(everyone)
    return [
        f"{storing / len(everyone) * 1e6:.1f}",
        f"{median(each.match for each in results) * 1e3:.2f}",
        f"{median(sum(each.partitions) for each in results) * 1e3:.2f}",
        f"{median(max(each.partitions) for each in results) * 1e3:.2f}",
        f"{median(len(each.partitions) for each in results):.0f}",
        f"{share:.0%}",
        f"{median(len(each.found) for each in results):.0f}",
    ]
