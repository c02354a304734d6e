"""The words of a change in order, as numbers, and where each one is."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

if TYPE_CHECKING:
    from array import array

Numbers = NDArray[np.uint32]
Positions = NDArray[np.int64]

WordSets = Sequence[Sequence[int]]
"""A phrase: for each of its words, the numbers of the spellings that are that word."""

MAX_OCCURRENCES = 100_000
"""Occurrences of a phrase's rarest word around which the phrase is sought."""


@dataclass(frozen=True, slots=True)
class WordTable:
    """Words by their position in the change; words of one unit follow each other.

    Of each word there is its number, the number of its unit, the character at which it
    begins, and whether it has changed. ``order`` has the positions sorted by number, ``ends``
    where those of each number end in it: 21 bytes a word in all.
    """

    numbers: Numbers
    units: Numbers
    starts: Numbers
    is_changed: NDArray[np.bool_]
    order: Positions
    ends: Positions

    @classmethod
    def of(
        cls,
        numbers: "array[int]",
        units: "array[int]",
        starts: "array[int]",
        changed: "array[int]",
    ) -> "WordTable":
        """Sort the words of a change."""
        return cls._sorted(
            np.frombuffer(numbers, np.uint32),
            np.frombuffer(units, np.uint32),
            np.frombuffer(starts, np.uint32),
            np.frombuffer(changed, np.bool_),
        )

    @classmethod
    def _sorted(
        cls, numbers: Numbers, units: Numbers, starts: Numbers, is_changed: NDArray[np.bool_]
    ) -> "WordTable":
        order = numbers.argsort(kind="stable")
        ends = np.bincount(numbers).cumsum()
        return cls(numbers, units, starts, is_changed, order, ends)

    def without(self, is_left_out: NDArray[np.bool_]) -> "WordTable":
        """Return the table without some words, by their numbers: those around them are adjacent."""
        kept = ~is_left_out[self.numbers]
        return self._sorted(
            self.numbers[kept], self.units[kept], self.starts[kept], self.is_changed[kept]
        )

    def bounds(self, unit: int) -> tuple[int, int]:
        """Return the positions at which a unit begins and ends."""
        low, high = np.searchsorted(self.units, (unit, unit + 1))
        return int(low), int(high)

    def positions(self, words: Sequence[int]) -> Positions:
        """Return where any of these words is, in order."""
        found = [self._positions(word) for word in words]
        if len(found) == 1:
            return found[0]
        return np.sort(np.concatenate(found)) if found else np.empty(0, np.int64)

    def occurrences(
        self, phrase: WordSets, bounds: tuple[int, int] | None = None
    ) -> tuple[Positions, bool]:
        """Return where a phrase begins, and whether its rarest word was too frequent to say all.

        It is sought only where its rarest word is, between two positions if they are given.
        """
        each = [self._between(self.positions(words), bounds) for words in phrase]
        rarest = min(range(len(each)), key=lambda n: len(each[n]))
        begins = each[rarest][:MAX_OCCURRENCES] - rarest
        begins = begins[(begins >= 0) & (begins <= len(self.numbers) - len(phrase))]
        for offset, words in enumerate(phrase):
            if offset != rarest:
                numbers = self.numbers[begins + offset]
                is_one = len(words) == 1
                begins = begins[numbers == words[0] if is_one else np.isin(numbers, words)]
        last = begins + (len(phrase) - 1)
        whole = begins[self.units[begins] == self.units[last]]
        return whole, len(each[rarest]) > MAX_OCCURRENCES

    def changed_throughout(self, begins: Positions, length: int) -> Positions:
        """Keep, of the positions at which phrases of so many words begin, the changed ones."""
        for offset in range(length):
            begins = begins[self.is_changed[begins + offset]]
        return begins

    def _positions(self, word: int) -> Positions:
        if word >= len(self.ends):
            return self.order[:0]
        return self.order[self.ends[word - 1] if word else 0 : self.ends[word]]

    @staticmethod
    def _between(positions: Positions, bounds: tuple[int, int] | None) -> Positions:
        if bounds is None:
            return positions
        low, high = np.searchsorted(positions, bounds)
        return positions[low:high]
