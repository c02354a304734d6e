"""The hashes of the words of a change, which an index is asked for, and the units with each."""

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from streams.matching.index.merge_tree import Hashes, MergeTree, SortedRun
from streams.matching.index.terms import ANY_TERM, WordKind
from streams.matching.index.vocabulary import word_hashes
from streams.matching.word_search import WordSearch
from streams.text.word_forms import WordForm

_BITS = 64
_ALL_UNITS = (1 << _BITS) - 1


@dataclass(frozen=True, slots=True)
class ChangeHashes:
    """The different hashes of a change's words, sorted, each with the units that have it.

    Units are the bits of a number. If there are more than 64, several share a bit:
    then more is found than is concerned, and the matcher sorts it out. Words that are
    compared in different ways have no hash in common, so each kind has an object of this
    class.
    """

    keys: Hashes
    units: NDArray[np.uint64]

    @classmethod
    def of(cls, search: WordSearch, kind: WordKind) -> "ChangeHashes":
        """Return the hashes of a change's words as this kind compares them."""
        hashes, units = search.hashes(WordForm(search.language, *kind), _BITS)
        return _united(hashes.astype(np.uint32), units)

    @classmethod
    def of_any(cls) -> "ChangeHashes":
        """Return the hash of the keyword ``*``, which every unit has."""
        return cls(word_hashes([ANY_TERM]), np.array([_ALL_UNITS], np.uint64))

    def with_words_of(self, stems: MergeTree) -> "ChangeHashes":
        """Add the hashes of the indexed words with stems that the change has."""
        if not len(stems):
            return self
        keys, units = [self.keys], [self.units]
        for run in stems:
            which, rows = run.find(self.keys)
            keys.append(run.columns[0][rows])
            units.append(self.units[which])
        return _united(np.concatenate(keys), np.concatenate(units))

    def positions(self, run: SortedRun) -> Iterator[int]:
        """Return the positions of postings with two words that share a unit of the change."""
        if not len(self.keys):
            return iter(())
        others, positions = run.columns
        which, rows = run.find(self.keys)
        wanted = others[rows]
        at = np.searchsorted(self.keys, wanted)
        # A hash beyond the last one is none of ours; any index will do, as it is compared.
        at[at == len(self.keys)] = 0
        shared = np.where(self.keys[at] == wanted, self.units[at] & self.units[which], 0)
        return iter(positions[rows[shared != 0]].tolist())


def _united(keys: Hashes, units: NDArray[np.uint64]) -> ChangeHashes:
    """Sort hashes, and unite the units of those that are equal."""
    if not len(keys):
        return ChangeHashes(keys, units)
    order = np.argsort(keys)
    different, starts = np.unique(keys[order], return_index=True)
    return ChangeHashes(different, np.bitwise_or.reduceat(units[order], starts))
