"""Most postings of an index, packed: small, and quick to search."""

from collections.abc import Set as AbstractSet

import numpy as np

from streams.core.index_recent import Recent
from streams.core.index_terms import Term
from streams.core.index_vocabulary import Ints, Vocabulary, spread

NONE = -1
"""The number of no word and of no place."""


class Bulk:
    """Postings as compressed sparse rows: those of word n begin at ``starts[n]``."""

    def __init__(self) -> None:
        """Start empty."""
        self._vocabulary = Vocabulary()
        self._starts = np.zeros(1, np.int32)
        self._others = np.zeros(0, np.int32)
        self._places = np.zeros(0, np.int32)

    def __len__(self) -> int:
        return len(self._places)

    def find(self, forms: AbstractSet[str], language: str) -> Ints:
        """Give the places whose words have one of these forms in a language."""
        words = self._vocabulary.forms(language).find(forms)
        there = np.zeros(len(self._vocabulary) + 1, bool)
        there[words] = there[NONE] = True
        found = spread(self._starts[words], self._starts[words + 1])
        return self._places[found[there[self._others[found]]]]

    def merge(self, recent: Recent) -> None:
        """Take in the recent postings."""
        terms, places = zip(*recent, strict=True)
        numbers = self._numbers(terms)
        words = np.fromiter((numbers[term.word] for term in terms), np.int32, len(terms))
        others = np.fromiter(
            (NONE if term.other is None else numbers[term.other] for term in terms),
            np.int32,
            len(terms),
        )
        self._pack(
            np.append(self._owners(), words),
            np.append(self._others, others),
            np.append(self._places, np.array(places, np.int32)),
        )

    def renumber(self, places: Ints) -> None:
        """Give each place its new number, and forget those whose new number is NONE."""
        kept = places[self._places] != NONE
        words, others = self._owners()[kept], self._others[kept]
        used = np.unique(np.append(words, others[others != NONE]))
        self._vocabulary = self._vocabulary.only(used)
        others = np.where(others == NONE, NONE, np.searchsorted(used, others))
        self._pack(np.searchsorted(used, words), others, places[self._places[kept]])

    def _numbers(self, terms: tuple[Term, ...]) -> dict[str, int]:
        """The numbers of the words of terms, of which new ones get one."""
        words = [*dict.fromkeys(word for term in terms for word in term if word is not None)]
        known = self._vocabulary.numbers(words)
        new = [word for word in words if word not in known]
        first = len(self._vocabulary)
        self._vocabulary.extend(new)
        known.update((word, first + n) for n, word in enumerate(new))
        return known

    def _owners(self) -> Ints:
        """The word of each posting."""
        return np.repeat(np.arange(len(self._starts) - 1, dtype=np.int32), np.diff(self._starts))

    def _pack(self, words: Ints, others: Ints, places: Ints) -> None:
        order = np.argsort(words, kind="stable")
        counts = np.bincount(words, minlength=len(self._vocabulary))
        self._starts = np.append(0, np.cumsum(counts)).astype(np.int32)
        self._others = others[order].astype(np.int32)
        self._places = places[order]
