"""The changed sentences of a change, numbered in document order, removed before added."""

from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import cached_property
from typing import NamedTuple, TypeVar

import numpy as np
from numpy.typing import NDArray

from schemas.records.changes import Edit, Place, Region, Sentence

ADDED = "added"
REMOVED = "removed"
EDITED = "edited"
MOVED = "moved"

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


class ChangedSentence(NamedTuple):
    """One side of an edit; its offsets are in the text of ``place``."""

    event: str
    region: Region
    edit: Edit
    place: Place
    start: int
    end: int

    @property
    def change(self) -> str:
        """What happened to it: added, removed, edited or moved."""
        return self.edit.change

    @property
    def sentence(self) -> Sentence:
        """The side of the edit."""
        side = self.edit.removed if self.event == REMOVED else self.edit.added
        assert side is not None, "it is made of this side"
        return side

    @property
    def text(self) -> str:
        """The sentence itself."""
        return self.place.text[self.start : self.end]


class ChangedSentences(list[ChangedSentence]):
    """All of them. The two sides of an edited sentence have consecutive numbers.

    Of a sentence that moved there is only the side where it is now.
    """

    def __init__(self, regions: Sequence[Region]) -> None:
        """Number the sentences of these regions."""
        super().__init__(_numbered(regions))

    def following(self, number: int) -> int | None:
        """Return the next sentence on the same side of the same region."""
        return self._same_place(number, self._neighbours[1][number])

    def preceding(self, number: int) -> int | None:
        """Return the previous sentence on the same side of the same region."""
        return self._same_place(number, self._neighbours[0][number])

    def other_side(self, number: int) -> int:
        """Return the number of the other side of an edited sentence."""
        return number + 1 if self[number].event == REMOVED else number - 1

    def _same_place(self, number: int, other: int) -> int | None:
        is_near = other >= 0 and self[other].place is self[number].place
        return other if is_near else None

    @cached_property
    def _neighbours(self) -> tuple[list[int], list[int]]:
        before, after = [-1] * len(self), [-1] * len(self)
        latest = dict.fromkeys((ADDED, REMOVED), -1)
        for number, (event, *_) in enumerate(self):
            other = before[number] = latest[event]
            if other >= 0:
                after[other] = number
            latest[event] = number
        return before, after


def _numbered(regions: Sequence[Region]) -> Iterator[ChangedSentence]:
    for region in regions:
        for edit in region.edits:
            sides = (REMOVED, region.removed, edit.removed), (ADDED, region.added, edit.added)
            for event, place, side in sides:
                is_left = event == REMOVED and edit.change == MOVED and edit.added is not None
                if place is not None and side is not None and not is_left:
                    yield ChangedSentence(event, region, edit, place, side.start, side.end)
