"""Finds the blocks of lines that only moved, for who compares two snapshots."""

import re
from collections import Counter
from collections.abc import Iterator, Sequence

from schemas.records.changes import Edit, Place, Region, Sentence
from streams.diff.alignment import Region as Bounds
from streams.diff.alignment import differing_regions
from streams.diff.regions import changed_regions

_LINE = re.compile(r"\S(?:[^\n]*\S)?")
MAX_BLOCKS = 200
"""Blocks of moved lines that are found, the first of the new text."""


def compared_regions(old: str, new: str) -> tuple[Region, ...]:
    """Compare two snapshots: what changed, and the blocks of lines that moved, in one order.

    A block is made of lines that both texts have once, next to each other in both, between
    other neighbours than before.
    """
    changed = changed_regions(old, new)
    moved = list(_moved(old, new))
    if moved:  # instead of the one that a change names if nothing else has changed
        changed = tuple(each for each in changed if each.edits[0].change != "moved")
    return tuple(sorted((*changed, *moved), key=_start))


def _start(region: Region) -> int:
    place = region.added or region.removed
    return place.start if place else 0


def _moved(old: str, new: str) -> Iterator[Region]:
    before, after = _Lines(old), _Lines(new)
    found = _blocks(before, after, differing_regions(before.lines, after.lines))
    for number, (gone, come) in enumerate(found):
        if number == MAX_BLOCKS:
            return
        was, now = before.place(gone), after.place(come)
        sides = zip(_sentences(was.text), _sentences(now.text), strict=True)
        yield Region(was, now, (), tuple(Edit("moved", *each, "") for each in sides))


def _sentences(text: str) -> Iterator[Sentence]:
    for line in _LINE.finditer(text):
        yield Sentence(line.start(), line.end(), ())


class _Lines:
    """The lines of a text, with where each starts."""

    def __init__(self, text: str) -> None:
        self.text = text
        self.lines = [line.strip() for line in text.split("\n")]
        self.starts = [0]
        for line in text.split("\n"):
            self.starts.append(self.starts[-1] + len(line) + 1)
        self.counts = Counter(self.lines)

    def place(self, lines: range) -> Place:
        start, end = self.starts[lines.start], self.starts[lines.stop] - 1
        return Place(start, self.text[start:end])


def _blocks(
    before: _Lines, after: _Lines, bounds: Sequence[Bounds]
) -> Iterator[tuple[range, range]]:
    """Yield runs of lines that moved: where they were, and where they are."""
    was = {
        before.lines[at]: at
        for a, b, _, _ in bounds
        for at in range(a, b)
        if before.lines[at] and before.counts[before.lines[at]] == 1
    }
    gone, come = range(0), range(0)
    for _, _, c, d in bounds:
        for at in range(c, d):
            line = after.lines[at]
            place = was.get(line) if after.counts[line] == 1 else None
            if place is not None and (place, at) == (gone.stop, come.stop) and come:
                gone, come = range(gone.start, place + 1), range(come.start, at + 1)
                continue
            if place is not None:
                if come:
                    yield gone, come
                gone, come = range(place, place + 1), range(at, at + 1)
    if come:
        yield gone, come
