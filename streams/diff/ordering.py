"""Puts what was removed, added and edited in one place of a document in its order."""

from collections.abc import Iterator, Sequence

from streams.diff.edits import LocatedEdit, addition, edition, removal
from streams.diff.work_budget import Detail
from streams.text.units import Unit

_Entry = tuple[Unit, Unit | None]


def in_order(
    stretch: range,
    at: int,
    removed: Sequence[Unit],
    added: Sequence[Unit],
    edited: Sequence[tuple[Unit, Unit]],
    detail: Detail,
) -> Iterator[LocatedEdit]:
    """Yield edits by their places in the new text, removed before added.

    What was removed comes before the first pair of which the old side stands after it.
    ``stretch`` are the characters of the old text that are here, and ``at`` is where they were
    in the new one; a pair with an old side elsewhere has moved.
    """
    entries: list[_Entry] = [(come, gone) for gone, come in edited]
    entries += ((unit, None) for unit in added)
    entries.sort(key=lambda entry: entry[0].start)
    limits = list(_limits(entries, stretch))[::-1]
    left = list(reversed(removed))
    for (come, gone), limit in zip(entries, limits, strict=True):
        while left and left[-1].start < limit:
            yield from removal(left.pop(), come.start)
        if gone is None:
            yield from addition(come)
        else:
            yield from edition(gone, come, detail, alone=gone.start not in stretch)
        at = come.end
    while left:
        yield from removal(left.pop(), at)


def _limits(entries: Sequence[_Entry], stretch: range) -> Iterator[int]:
    """Yield, from the last entry to the first, where the old side of the next pair starts."""
    limit = stretch.stop
    for _, gone in reversed(entries):
        if gone is not None and gone.start in stretch:
            limit = gone.start
        yield limit
