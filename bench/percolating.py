"""One change of a page against many subscriptions for all pages of one manager.

They are spread over the partitions by their words. CPU time of both agents, medians: match
finds the partitions, and each of them reads the message and finds who is notified. Then what
match sends of changes with no keyword of anybody, by the filters and without them:
``python -m bench.percolating``.
"""

import random
from collections import defaultdict
from dataclasses import replace
from functools import partial
from statistics import median
from typing import NamedTuple

from rich.console import Console, Group
from rich.table import Table

from bench.measuring import Run, timed
from bench.workload import KEYWORDS, LANGUAGE, LENGTH, change, plain, plain_change, vocabulary
from schemas.codec import wire
from schemas.records.changes import DocumentChanged, Region
from schemas.records.percolations import Interest, Percolate, StoreQuery, Watcher
from schemas.records.subscriptions import Subscription
from streams.agents.percolate.queries import Queries
from streams.matching.change_words import ChangeWords
from streams.matching.notifications import matcher_of
from streams.matching.terms.interests import Interests
from streams.matching.terms.notifying import is_for
from streams.matching.terms.term_filters import closed
from streams.matching.terms.terms import change_terms, partition_of_term, placed, term_of
from streams.values.steps import completed

PACKAGES = ("numpy", "pybloom-live")
PARTITIONS = 8
EVENTS = 15
UNASKED = 100
"""Changes with no keyword of anybody."""
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
        self.filter_bytes = 0
        by_partition: defaultdict[int, list[StoreQuery]] = defaultdict(list)
        for each in everyone:
            for partition, query in placed(each, PARTITIONS).items():
                by_partition[partition].append(query)
        for partition, queries in by_partition.items():
            for query in queries:
                self.partitions[partition].put(query)
            # Match knows which terms a partition has.
            terms = self.partitions[partition].terms("default")
            if terms.is_filter_due(0):
                message = closed(completed(terms.make_filter(0)), "default", partition, 0)
                self.filter_bytes += len(wire.encode(message))
                self.interests.put_filter(message)
            self.interests.put(self.partitions[partition].interest("default", partition))

    def percolate(self, regions: list[Region]) -> Percolated:
        """Match one change."""
        fact = _fact(regions)
        words = matcher_of(fact).words
        completed(words.search("sentence").prepare(()))  # match has done so for its own
        match, wanted = timed(lambda: sent(fact, words, self.interests))
        seconds, found = [], set[str]()
        for partition, message in wanted:
            spent, ids = timed(lambda p=partition, m=message: self._notified(p, m))  # type: ignore[misc]
            seconds.append(spent)
            found |= ids
        return Percolated(match, seconds, found)

    def _notified(self, partition: int, message: bytes) -> set[str]:
        fact = wire.decode(message, Percolate).change
        matcher = matcher_of(fact)
        found = completed(self.partitions[partition].concerned("default", matcher.words))
        ids = set[str]()
        for each in found:
            if is_for(each, fact.url, ()) and (words := completed(matcher.concerning(each))):
                term = term_of(words[0], each.options, LANGUAGE)
                if partition_of_term(term, each.manager, PARTITIONS) == partition:
                    ids.add(each.id)
        return ids


def sent(
    fact: DocumentChanged, words: ChangeWords, interests: Interests
) -> list[tuple[int, bytes]]:
    """Return what match sends of a change, and to which partitions."""
    terms = completed(change_terms(words, PARTITIONS, blocks=False))
    wanted = completed(interests.partitions("default", terms, terms))
    return [(each, wire.encode(Percolate(fact, (MANAGER,)))) for each in wanted]


def _fact(regions: list[Region]) -> DocumentChanged:
    return DocumentChanged(
        "change", "http://document.test/", "w", 1, 0, "text/html", LANGUAGE, tuple(regions), 1
    )


def for_all_pages(everyone: list[Subscription]) -> list[Subscription]:
    """Return the same subscriptions, for all pages."""
    return [replace(each, url="pages:*") for each in everyone]


def table(run: Run) -> Group:
    """Measure ten thousand subscriptions to the largest, then what is sent for nobody."""
    return Group(growth(run), unasked(run))


def unasked(run: Run) -> Table:
    """Count what is sent of changes with no keyword of a manager that has 100,000."""
    chance = random.Random(run.seed)  # noqa: S311 - to be repeated, not to be secret
    words, keyword = vocabulary(chance), KEYWORDS["common and specific words"]
    everyone = [plain(n, keyword(words, chance), chance) for n in range(100_000)]
    deployment, without = Deployment(for_all_pages(everyone)), Interests()
    for number in range(PARTITIONS):
        without.put(Interest("default", number, (), True, everything=False, blocks=False))
    options = everyone[0].options
    asked = {term_of(each.keywords[0], options, LANGUAGE) for each in everyone}
    others = [each for each in words if term_of(each, options, LANGUAGE) not in asked]
    filters = f"{deployment.filter_bytes:,} bytes of filters for each partition of match"
    title = f"{UNASKED} changes of none of {len(asked):,} terms, {PARTITIONS} partitions; {filters}"
    table = Table("words", "messages without filters", "with", "bytes without", "with", "share",
                  "match ms without", "with", title=title)  # fmt: skip
    for sentences in (4, 40, 400):
        changes = [_fact(plain_change(others, chance, sentences)) for _ in range(UNASKED)]
        table.add_row(f"{sentences * LENGTH:,}", *_shares(changes, without, deployment.interests))
    return table


def _shares(changes: list[DocumentChanged], *known: Interests) -> list[str]:
    counts, sizes, times = [], [], []
    for interests in known:
        work = [(each, matcher_of(each).words) for each in changes]
        for _, words in work:
            completed(words.search("sentence").prepare(()))  # match has done so for its own
        seconds, messages = timed(partial(_all_sent, work, interests))
        flat = [message for several in messages for _, message in several]
        counts.append(len(flat))
        sizes.append(sum(map(len, flat)))
        times.append(seconds / len(changes) * 1e3)
    return [
        *(f"{each:,}" for each in (*counts, *sizes)),
        f"{sizes[1] / sizes[0]:.1%}",
        *(f"{each:.2f}" for each in times),
    ]


def _all_sent(
    work: list[tuple[DocumentChanged, ChangeWords]], interests: Interests
) -> list[list[tuple[int, bytes]]]:
    return [sent(fact, words, interests) for fact, words in work]


def growth(run: Run) -> Table:
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


if __name__ == "__main__":
    Console(width=140).print(unasked(Run(seed=4, largest=100_000)))
