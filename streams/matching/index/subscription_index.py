"""An index for each reach: its subscriptions by position, and the parts that lead to them."""

from array import array
from collections.abc import Iterable, Iterator
from itertools import chain
from typing import NamedTuple

import numpy as np

from schemas.records.subscriptions import Subscription
from streams.matching.change_words import ChangeWords
from streams.matching.index.change_hashes import ChangeHashes
from streams.matching.index.merge_tree import MergeTree, SortedRun
from streams.matching.index.terms import (
    TermPair,
    WordKind,
    is_indexed,
    is_stemmed,
    term_pairs,
    word_kind,
)
from streams.matching.index.vocabulary import Vocabulary, word_hashes
from streams.matching.stretches import SENTENCE, reach_of
from streams.values.steps import Steps, completed

_FEW = 64
_MAX_RECENT = 16_384
_COUNTERS = 512


class IndexByReach:
    """Finds the subscriptions that a change may concern, wherever they look for their keywords."""

    def __init__(self, subscriptions: Iterable[Subscription] = ()) -> None:
        """Index these subscriptions."""
        self._indexes: dict[str, SubscriptionIndex] = {}
        by_reach: dict[str, list[Subscription]] = {}
        for each in subscriptions:
            by_reach.setdefault(reach_of(each.options.scope), []).append(each)
        for reach, several in by_reach.items():
            self._indexes[reach] = SubscriptionIndex(several, reach)

    def add(self, subscription: Subscription) -> None:
        """Add a subscription, which later changes find."""
        reach = reach_of(subscription.options.scope)
        if reach not in self._indexes:
            self._indexes[reach] = SubscriptionIndex((), reach)
        self._indexes[reach].add(subscription)

    def remove(self, subscription: Subscription) -> None:
        """Remove a subscription; it must be the very object that was added."""
        self._indexes[reach_of(subscription.options.scope)].remove(subscription)

    def find_steps(self, words: ChangeWords) -> Steps[list[Subscription]]:
        """Return every subscription that a change concerns, and a few others, in steps.

        What comes or goes after this call makes no difference.
        """
        return _all([index.find_steps(words) for index in self._indexes.values()])


class RecentPostings:
    """Pairs of terms, and the positions of the subscriptions that have them."""

    def __init__(self) -> None:
        # Three lists of strings and numbers, not one of tuples: the garbage collector
        # would look at each tuple again and again.
        self._words: list[str] = []
        self._others: list[str] = []
        self._positions: list[int] = []

    def __len__(self) -> int:
        return len(self._words)

    def add(self, position: int, pairs: Iterable[TermPair]) -> None:
        """Add a posting for each pair of terms of the subscription in a position."""
        for word, other in pairs:
            self._words.append(word)
            self._others.append(other)
            self._positions.append(position)

    def sorted_run(self) -> SortedRun:
        """Return the postings by the hash of the first word: hash of the other, position."""
        positions = np.array(self._positions, np.uint32)
        return SortedRun.of(word_hashes(self._words), word_hashes(self._others), positions)

    def stemmed_terms(self) -> Iterable[str]:
        """Return the different terms that are compared by their stems."""
        return filter(is_stemmed, dict.fromkeys(chain(self._words, self._others)))


class _Snapshot(NamedTuple):
    """A copy of an index from when a search begins."""

    runs: tuple[SortedRun, ...]
    subscriptions: list[Subscription | None]
    removed: dict[int, Subscription]
    kinds: tuple[WordKind, ...]


class SubscriptionIndex:
    """The subscriptions of one document and reach, by the words that may concern them.

    Each has a position in a list, and its postings lead there: the hash of a word, the
    hash of another word that must be in the same unit, and the position.

        index = SubscriptionIndex(subscriptions)
        candidates = index.find(ChangeWords(change.regions, change.language))
    """

    def __init__(self, subscriptions: Iterable[Subscription] = (), reach: str = SENTENCE) -> None:
        """Index these subscriptions, which look for their keywords within a reach."""
        self._reach = reach
        self._subscriptions: list[Subscription | None] = []
        # An array, as a number takes 4 bytes there.
        self._free = array("I")
        self._removed: dict[int, Subscription] = {}
        self._recent = RecentPostings()
        self._postings = MergeTree()
        self._vocabulary = Vocabulary()
        self._kinds: set[WordKind] = set()
        self._counters = array("I", bytes(4 * _COUNTERS))
        for subscription in subscriptions:
            self.add(subscription)
        self._pack()

    def __len__(self) -> int:
        return len(self._subscriptions) - len(self._free) - len(self._removed)

    def add(self, subscription: Subscription) -> None:
        """Add a subscription, which later changes find; equal ones are kept apart."""
        if self._removed.pop(id(subscription), None) is not None:
            return  # its postings are still there
        pairs = term_pairs(subscription, self._by_rarity)
        if not pairs:
            return
        self._kinds.add(word_kind(subscription))
        self._recent.add(self._position_for(subscription), pairs)
        if len(self._recent) >= _MAX_RECENT:
            self._pack()

    def remove(self, subscription: Subscription) -> None:
        """Remove a subscription; it must be the very object that was added."""
        if is_indexed(subscription):
            # A search for its position would visit all that have the same keywords.
            self._removed[id(subscription)] = subscription
            self._purge_removed()

    def find(self, words: ChangeWords) -> list[Subscription]:
        """Return every subscription that a change with these words concerns, and a few others."""
        return completed(self.find_steps(words))

    def find_steps(self, words: ChangeWords) -> Steps[list[Subscription]]:
        """Do the same as ``find``, in steps; what comes or goes after this call changes nothing."""
        self._pack()
        self._purge_vocabulary()
        # A subscription that is replaced goes and comes again: a search of what there is
        # after a step would miss it. Runs never change, so a tuple of them is a copy.
        snapshot = _Snapshot(
            tuple(self._postings),
            self._subscriptions.copy(),
            self._removed.copy(),
            tuple(self._kinds),
        )
        return self._find_in(snapshot, words)

    def _find_in(self, there: "_Snapshot", words: ChangeWords) -> Steps[list[Subscription]]:
        stems = yield from self._vocabulary.stems(words.language)
        search = words.search(self._reach)
        yield from search.prepare(words.form(*kind) for kind in there.kinds)
        found = dict.fromkeys(_positions(ChangeHashes.of_any(), there.runs))
        for kind in there.kinds:
            hashes = ChangeHashes.of(search, kind)
            yield
            found |= dict.fromkeys(_positions(hashes.with_words_of(stems), there.runs))
            yield
        candidates = [there.subscriptions[position] for position in found]
        return [each for each in candidates if each is not None and id(each) not in there.removed]

    def _position_for(self, subscription: Subscription) -> int:
        """Store a subscription in a free position, or in a new one, and return which."""
        if not self._free:
            self._subscriptions.append(subscription)
            return len(self._subscriptions) - 1
        self._subscriptions[self._free[-1]] = subscription
        return self._free.pop()

    def _by_rarity(self, words: list[str]) -> list[str]:
        """Sort words by how few additions had them, roughly, then the longest first.

        Words share counters, so a rare one may seem frequent; one that many
        subscriptions have never seems rare.
        """
        counters, size, ranked = self._counters, len(self._counters), []
        for word in words:
            counter = hash(word) % size
            counters[counter] += 1
            ranked.append((counters[counter], -len(word), word))
        ranked.sort()
        return [word for _, _, word in ranked]

    def _pack(self) -> None:
        """Sort recent postings into a run, and note the words that are stemmed."""
        if len(self._recent):
            recent, self._recent = self._recent, RecentPostings()
            self._postings.add(recent.sorted_run())
            self._vocabulary.add(recent.stemmed_terms())
            while len(self._counters) < len(self._subscriptions) // 4:
                self._counters.extend(self._counters)

    def _purge_removed(self) -> None:
        """Drop the postings of removed subscriptions once there are many, and free their positions.

        The pass over all of them is rare: it waits for a third of the subscriptions to go.
        """
        if len(self._removed) > max(_FEW, len(self) // 3):
            self._pack()
            is_kept = np.ones(len(self._subscriptions), bool)
            for position, each in enumerate(self._subscriptions):
                if id(each) in self._removed:
                    is_kept[position] = False
                    self._subscriptions[position] = None
                    self._free.append(position)
            self._postings.keep([is_kept[run.columns[1]] for run in self._postings])
            self._removed.clear()

    def _purge_vocabulary(self) -> None:
        """Drop the words of removed subscriptions once they are the greater part."""
        if len(self._vocabulary) > 2 * len(self._postings) + _FEW:
            self._vocabulary.keep(
                each for run in self._postings for each in (run.keys, run.columns[0])
            )


def _positions(hashes: ChangeHashes, runs: Iterable[SortedRun]) -> Iterator[int]:
    return chain.from_iterable(map(hashes.positions, runs))


def _all(searches: Iterable[Steps[list[Subscription]]]) -> Steps[list[Subscription]]:
    found: list[Subscription] = []
    for search in searches:
        found += yield from search
    return found
