"""Finds, among many subscriptions of one document, those that a change may concern.

A presearcher, as for stored queries elsewhere: each keyword stands under its
rarest word (docs/decisions/0007). What is found is a superset of what matches.
"""

from array import array
from collections.abc import Iterable
from itertools import chain

import numpy as np

from schemas.facts import Subscription
from streams.core.index.change_hashes import ChangeHashes
from streams.core.index.merge_tree import MergeTree
from streams.core.index.recent_postings import RecentPostings
from streams.core.index.terms import WordKind, kind, terms, words_of
from streams.core.index.vocabulary import Vocabulary, word_hashes
from streams.core.matching.change_words import ChangeWords
from streams.core.text.stemming import has_stemmer

_FEW = 64
_LATE = 16_384
_COUNTERS = 512


class SubscriptionIndex:
    """The subscriptions of one document, by the words that concern them.

    Each has a place; the runs have which word's hash leads to which place, and the
    hash of another word that must be in the same passage.
    """

    def __init__(self, subscriptions: Iterable[Subscription] = ()) -> None:
        """Begin with these."""
        self._subscriptions: list[Subscription | None] = []
        self._free = array("I")
        self._dead = array("I")
        self._recent = RecentPostings()
        self._runs = MergeTree()
        self._vocabulary = Vocabulary()
        self._kinds: set[WordKind] = set()
        self._counters = array("I", bytes(4 * _COUNTERS))
        for subscription in subscriptions:
            self.add(subscription)
        self._pack()

    def __len__(self) -> int:
        return len(self._subscriptions) - len(self._free) - len(self._dead)

    def add(self, subscription: Subscription) -> None:
        """Find a subscription from now on; it is told from others by its identity."""
        found = terms(subscription, self._by_rarity)
        if not found:
            return
        self._kinds.add(kind(subscription))
        self._recent.add(self._place(subscription), found)
        if len(self._recent) >= _LATE:
            self._pack()

    def remove(self, subscription: Subscription) -> None:
        """Find a subscription that was added no more."""
        self._pack()
        keys = np.unique(word_hashes(words_of(subscription)))
        for run in self._runs:
            for place in run.columns[1][run.find(keys)[1]].tolist():
                if self._subscriptions[place] is subscription:
                    self._subscriptions[place] = None
                    self._dead.append(place)
                    self._purge()
                    return

    def find(self, words: ChangeWords) -> list[Subscription]:
        """Give every subscription that a change with these words concerns, and a few others."""
        self._pack()
        asked = ChangeHashes.by(words, self._kinds)
        if has_stemmer(words.language):
            self._clean()
            asked = asked.and_by(self._vocabulary.stems(words.language))
        found = dict.fromkeys(chain.from_iterable(map(asked.places, self._runs)))
        each = map(self._subscriptions.__getitem__, found)
        return [subscription for subscription in each if subscription is not None]

    def _place(self, subscription: Subscription) -> int:
        """Give a subscription a place."""
        if not self._free:
            self._subscriptions.append(subscription)
            return len(self._subscriptions) - 1
        self._subscriptions[self._free[-1]] = subscription
        return self._free.pop()

    def _by_rarity(self, words: list[str]) -> list[str]:
        """Put words in order by how often they were asked about, roughly, then the longest first.

        Words that many subscriptions share stand out.
        """
        counters, size, ranked = self._counters, len(self._counters), []
        for word in words:
            counter = hash(word) % size
            counters[counter] += 1
            ranked.append((counters[counter], -len(word), word))
        ranked.sort()
        return [word for _, _, word in ranked]

    def _pack(self) -> None:
        """Pack what came of late."""
        if len(self._recent):
            recent, self._recent = self._recent, RecentPostings()
            self._runs.add(recent.run())
            self._vocabulary.add(recent.stemmed())
            while len(self._counters) < len(self._subscriptions) // 4:
                self._counters.extend(self._counters)

    def _purge(self) -> None:
        """Forget the places of what was removed once they are many."""
        if len(self._dead) > max(_FEW, len(self) // 3):
            kept = np.ones(len(self._subscriptions), bool)
            kept[np.frombuffer(self._dead, np.uint32)] = False
            self._runs.keep([kept[run.columns[1]] for run in self._runs])
            self._free += self._dead
            self._dead = array("I")

    def _clean(self) -> None:
        """Forget the words of what was removed once they are many."""
        if len(self._vocabulary) > 2 * len(self._runs) + _FEW:
            self._vocabulary.clean(
                each for run in self._runs for each in (run.keys, run.columns[0])
            )
