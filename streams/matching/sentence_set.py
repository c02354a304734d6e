"""Sets of a changed sentences, by their numbers."""

from collections.abc import Callable, Iterable, Iterator
from typing import TypeVar

import numpy as np
from numpy.typing import NDArray

T = TypeVar("T")

_FEW = 64
"""Numbers that are quicker added one by one."""


class SentenceSet:
    """An immutable set of numbers of sentences, kept as the bits of one number.

    A change can have 100,000 sentences, and its sets are intersected for each keyword of
    each subscription: as bits that is one operation.

        edited, found = SentenceSet.of([0, 2]), SentenceSet.of([0, 1, 3])
        list(found & edited)      # [0]
        list(found - edited)      # [1, 3]
        list(edited.following())  # [1, 3]
    """

    __slots__ = ("bits",)

    def __init__(self, bits: int = 0) -> None:
        """Bit n of ``bits`` says whether sentence n is in the set."""
        self.bits = bits

    @classmethod
    def of(cls, numbers: Iterable[int]) -> "SentenceSet":
        """Build a set of these different numbers."""
        found = list(numbers)
        if len(found) < _FEW:
            return cls(sum(1 << number for number in found))
        is_in = np.zeros(max(found) + 1, np.bool_)
        is_in[found] = True
        return cls.of_flags(is_in)

    @classmethod
    def of_those(cls, every: Iterable[T], is_in: Callable[[T], bool]) -> "SentenceSet":
        """Build the set of the numbers of those for which something is true."""
        return cls.of(number for number, each in enumerate(every) if is_in(each))

    @classmethod
    def of_flags(cls, is_in: NDArray[np.bool_]) -> "SentenceSet":
        """Build the set of the numbers whose flags are true."""
        return cls(int.from_bytes(np.packbits(is_in, bitorder="little").tobytes(), "little"))

    @classmethod
    def of_first(cls, count: int) -> "SentenceSet":
        """Build the set of the numbers from 0 to ``count - 1``."""
        return cls((1 << count) - 1)

    def __and__(self, other: "SentenceSet") -> "SentenceSet":
        return SentenceSet(self.bits & other.bits)

    def __or__(self, other: "SentenceSet") -> "SentenceSet":
        return SentenceSet(self.bits | other.bits)

    def __sub__(self, other: "SentenceSet") -> "SentenceSet":
        return SentenceSet(self.bits & ~other.bits)

    def __bool__(self) -> bool:
        return self.bits != 0

    def __contains__(self, number: int) -> bool:
        return self.bits >> number & 1 == 1

    def __iter__(self) -> Iterator[int]:
        """Iterate in document order."""
        bits = self.bits
        while bits:
            lowest = bits & -bits
            yield lowest.bit_length() - 1
            bits ^= lowest

    def overlaps(self, other: "SentenceSet") -> bool:
        """Whether there is a sentence that is in both sets."""
        return self.bits & other.bits != 0

    def following(self) -> "SentenceSet":
        """Return the sentences that come right after one of these."""
        return SentenceSet(self.bits << 1)

    def preceding(self) -> "SentenceSet":
        """Return the sentences that come right before one of these."""
        return SentenceSet(self.bits >> 1)
