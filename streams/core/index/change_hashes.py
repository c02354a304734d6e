"""What a change asks an index: hashes of words, and which passages have each."""

from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from streams.core.index.merge_tree import Hashes, MergeTree, SortedRun
from streams.core.index.terms import ANY_TERM, MARKS, WordKind
from streams.core.index.vocabulary import word_hashes
from streams.core.matching.change_words import ChangeWords
from streams.core.text.word_forms import WordForm

_BITS = 64
_EVERYWHERE = (1 << _BITS) - 1


@dataclass(frozen=True, slots=True)
class ChangeHashes:
    """Different hashes in order, each with the passages as bits.

    Of more than 64 passages several share a bit.
    """

    keys: Hashes
    masks: NDArray[np.uint64]

    @classmethod
    def by(cls, words: ChangeWords, kinds: Iterable[WordKind]) -> "ChangeHashes":
        """Give the words of a change in the normal forms of these kinds, and the plain ``*``."""
        marked, masks = [ANY_TERM], [_EVERYWHERE]
        for kind in kinds:
            places = words.places(WordForm(words.language, *kind), False)
            mark = MARKS[kind]
            marked += [mark + word for word in places]
            masks += places.values()
        if len(words.sides) > _BITS:
            masks = list(map(_folded, masks))
        return _united(word_hashes(marked), np.array(masks, np.uint64))

    def and_by(self, stems: MergeTree) -> "ChangeHashes":
        """Add the hashes of the words that have the stems asked for."""
        keys, masks = [self.keys], [self.masks]
        for run in stems:
            which, rows = run.find(self.keys)
            keys.append(run.columns[0][rows])
            masks.append(self.masks[which])
        return _united(np.concatenate(keys), np.concatenate(masks))

    def places(self, run: SortedRun) -> list[int]:
        """Give the places under a word that is in one passage with the other word."""
        others, places = run.columns
        which, rows = run.find(self.keys)
        wanted = others[rows]
        at = np.searchsorted(self.keys, wanted)
        at[at == len(self.keys)] = 0
        together = np.where(self.keys[at] == wanted, self.masks[at] & self.masks[which], 0)
        found: list[int] = places[rows[together != 0]].tolist()
        return found


def _united(keys: Hashes, masks: NDArray[np.uint64]) -> ChangeHashes:
    order = np.argsort(keys)
    different, starts = np.unique(keys[order], return_index=True)
    return ChangeHashes(different, np.bitwise_or.reduceat(masks[order], starts))


def _folded(passages: int) -> int:
    folded = 0
    while passages:
        folded |= passages & _EVERYWHERE
        passages >>= _BITS
    return folded
