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
    """Words by their position in the change; words of one passage follow each other.

    Of each word there is its number, the number of its passage, and the character of the
    passage at which it begins. ``order`` has the positions sorted by number, ``ends`` where
    those of each number end in it: 20 bytes a word in all.
    """

    numbers: Numbers
    passages: Numbers
    starts: Numbers
    order: Positions
    ends: Positions

    @classmethod
    def of(cls, numbers: "array[int]", passages: "array[int]", starts: "array[int]") -> "WordTable":
        """Sort the words of a change."""
        columns = (np.frombuffer(each, np.uint32) for each in (numbers, passages, starts))
        return cls._sorted(*columns)

    @classmethod
    def _sorted(cls, numbers: Numbers, passages: Numbers, starts: Numbers) -> "WordTable":
        order = np.argsort(numbers, kind="stable")
        return cls(numbers, passages, starts, order, np.cumsum(np.bincount(numbers)))

    def without(self, is_left_out: NDArray[np.bool_]) -> "WordTable":
        """Return the table without some words, by their numbers: those around them are adjacent."""
        kept = ~is_left_out[self.numbers]
        return self._sorted(self.numbers[kept], self.passages[kept], self.starts[kept])

    def bounds(self, passage: int) -> tuple[int, int]:
        """Return the positions at which a passage begins and ends."""
        low, high = np.searchsorted(self.passages, (passage, passage + 1))
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
                begins = begins[_is_any(self.numbers[begins + offset], words)]
        last = begins + (len(phrase) - 1)
        whole = begins[self.passages[begins] == self.passages[last]]
        return whole, len(each[rarest]) > MAX_OCCURRENCES

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


def _is_any(numbers: Numbers, words: Sequence[int]) -> NDArray[np.bool_]:
    return numbers == words[0] if len(words) == 1 else np.isin(numbers, words)
