"""The index itself: its subscriptions by position, and the parts that lead a change to them."""

from array import array
from collections.abc import Iterable
from itertools import chain

import numpy as np

from schemas.facts import Subscription
from streams.core.index.change_hashes import ChangeHashes
from streams.core.index.merge_tree import MergeTree
from streams.core.index.recent_postings import RecentPostings
from streams.core.index.terms import WordKind, possible_terms, term_pairs, word_kind
from streams.core.index.vocabulary import Vocabulary, word_hashes
from streams.core.matching.change_words import ChangeWords

_FEW = 64
_MAX_RECENT = 16_384
_COUNTERS = 512


class SubscriptionIndex:
    """The subscriptions of one document, by the words of a change that may concern them.

    Each has a position in a list, and its postings lead there: the hash of a word, the
    hash of another word that must be in the same passage, and the position.

        index = SubscriptionIndex(subscriptions)
        candidates = index.find(ChangeWords(change.hunks, change.language))
    """

    def __init__(self, subscriptions: Iterable[Subscription] = ()) -> None:
        """Index these subscriptions."""
        self._subscriptions: list[Subscription | None] = []
        # Arrays, as a number takes 4 bytes there.
        self._free = array("I")
        self._removed = array("I")
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
        pairs = term_pairs(subscription, self._by_rarity)
        if not pairs:
            return
        self._kinds.add(word_kind(subscription))
        self._recent.add(self._position_for(subscription), pairs)
        if len(self._recent) >= _MAX_RECENT:
            self._pack()

    def remove(self, subscription: Subscription) -> None:
        """Remove a subscription; it must be the very object that was added."""
        self._pack()
        # Which of its words were the rarest when it was added is not kept, so all are tried.
        keys = np.unique(word_hashes(possible_terms(subscription)))
        for run in self._postings:
            for position in run.columns[1][run.find(keys)[1]].tolist():
                if self._subscriptions[position] is subscription:
                    self._subscriptions[position] = None
                    self._removed.append(position)
                    self._purge_postings()
                    return

    def find(self, words: ChangeWords) -> list[Subscription]:
        """Return every subscription that a change with these words concerns, and a few others."""
        self._pack()
        self._purge_vocabulary()
        hashes = ChangeHashes.of(words, self._kinds)
        hashes = hashes.with_words_of(self._vocabulary.stems(words.language))
        positions = dict.fromkeys(chain.from_iterable(map(hashes.positions, self._postings)))
        found = map(self._subscriptions.__getitem__, positions)
        return [subscription for subscription in found if subscription is not None]

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

    def _purge_postings(self) -> None:
        """Drop the postings of removed subscriptions once there are many, and free their positions.

        The pass over all postings is rare: it waits for a third of the subscriptions to go.
        """
        if len(self._removed) > max(_FEW, len(self) // 3):
            is_kept = np.ones(len(self._subscriptions), bool)
            is_kept[np.frombuffer(self._removed, np.uint32)] = False
            self._postings.keep([is_kept[run.columns[1]] for run in self._postings])
            self._free += self._removed
            self._removed = array("I")

    def _purge_vocabulary(self) -> None:
        """Drop the words of removed subscriptions once they are the greater part."""
        if len(self._vocabulary) > 2 * len(self._postings) + _FEW:
            self._vocabulary.keep(
                each for run in self._postings for each in (run.keys, run.columns[0])
            )
