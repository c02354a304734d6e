"""Postings that were added last, in lists: appending to a sorted run would copy it."""

from collections.abc import Iterable
from itertools import chain

import numpy as np

from streams.matching.index.merge_tree import SortedRun
from streams.matching.index.terms import TermPair, is_stemmed
from streams.matching.index.vocabulary import word_hashes


class RecentPostings:
    """Pairs of terms, and the positions of the subscriptions that have them."""

    def __init__(self) -> None:
        """Start empty."""
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
