"""Finds the first sentence that moved, where nothing but the order of sentences changed."""

from collections.abc import Iterator, Sequence

from streams.diff.alignment import Region
from streams.diff.changed_lines import Window
from streams.diff.edits import Located, LocatedEdit
from streams.text.units import Unit

_NOTHING: frozenset[str] = frozenset()


def first_move(before: Window, after: Window, lines: Sequence[Region]) -> Iterator[LocatedEdit]:
    """Yield the first sentence of the lines that differ, from where it was to where it is.

    There is none if only the white space within sentences changed.
    """
    for a, b, c, d in lines:
        for unit in after.units(c, d, _NOTHING):
            if (old := before.text.find(unit.text)) >= 0:
                yield _move(old, unit.start, unit)
                return
        for unit in before.units(a, b, _NOTHING):
            if (new := after.text.find(unit.text)) >= 0:
                yield _move(unit.start, new, unit)
                return


def _move(old: int, new: int, unit: Unit) -> LocatedEdit:
    size = len(unit.text)
    removed, added = Located(old, old + size), Located(new, new + size)
    return LocatedEdit("moved", removed, added, new, alone=True)
