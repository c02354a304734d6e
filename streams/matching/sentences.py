"""The changed sentences of a change, numbered in document order, removed before added."""

from collections.abc import Iterator, Sequence
from functools import cached_property
from typing import NamedTuple

from schemas.records.changes import Edit, Place, Region, Sentence

ADDED = "added"
REMOVED = "removed"
EDITED = "edited"
MOVED = "moved"


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
        """The kind of change: added, removed, edited or moved."""
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
