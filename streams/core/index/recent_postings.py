"""What came to an index of late, in lists: cheap to add to."""

from collections.abc import Iterable
from itertools import chain

import numpy as np

from streams.core.index.merge_tree import SortedRun
from streams.core.index.terms import TermPair, is_stemmed
from streams.core.index.vocabulary import word_hashes


class RecentPostings:
    """Terms and the places they lead to."""

    def __init__(self) -> None:
        """Start empty."""
        # Lists of what is no container: the garbage collector has nothing to look at.
        self._words: list[str] = []
        self._others: list[str] = []
        self._places: list[int] = []

    def __len__(self) -> int:
        return len(self._words)

    def add(self, place: int, terms: Iterable[TermPair]) -> None:
        """Put a place under its terms."""
        for word, other in terms:
            self._words.append(word)
            self._others.append(other)
            self._places.append(place)

    def run(self) -> SortedRun:
        """Give places by the hashes of their words, with those of the other words."""
        places = np.array(self._places, np.uint32)
        return SortedRun.of(word_hashes(self._words), word_hashes(self._others), places)

    def stemmed(self) -> Iterable[str]:
        """Give the different words that are to be stemmed."""
        return filter(is_stemmed, dict.fromkeys(chain(self._words, self._others)))
