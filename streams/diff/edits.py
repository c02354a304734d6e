"""Edits with their places in the two snapshots, before they are put into regions."""

import re
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from streams.diff.sentences import Bounds, changed_pieces
from streams.diff.work_budget import Detail
from streams.text.units import Unit

# Characters of one piece; a sentence or line that is longer is cut at white space.
MAX_PIECE = 50_000
_CUT = re.compile(rf"(?=\S).{{1,{MAX_PIECE}}}(?=\s|\Z)|\S{{{MAX_PIECE}}}", re.DOTALL)


class Located(NamedTuple):
    """A sentence in its snapshot, with its runs of changed words; all offsets are there."""

    start: int
    end: int
    changed: Sequence[Bounds] = ()


class LocatedEdit(NamedTuple):
    """An edit; ``at`` is where it is in the new snapshot, even if nothing stands there.

    ``alone``: its two sides are too far apart to be in one region with others.
    """

    change: str
    removed: Located | None
    added: Located | None
    at: int
    noise: str = ""
    alone: bool = False


def removal(unit: Unit, at: int) -> Iterator[LocatedEdit]:
    """Yield the edits that a unit which is gone makes: one, unless it is very long."""
    for start, end in _pieces(unit):
        yield LocatedEdit("removed", Located(start, end), None, at)


def addition(unit: Unit) -> Iterator[LocatedEdit]:
    """Yield the edits that a unit which has come makes: one, unless it is very long."""
    for start, end in _pieces(unit):
        yield LocatedEdit("added", None, Located(start, end), start)


def edition(gone: Unit, come: Unit, detail: Detail, *, alone: bool) -> Iterator[LocatedEdit]:
    """Yield the edits that lead from one unit to the other: one, unless they are very long."""
    # Many lines that are compared as one would take seconds in all.
    are_many = "\n" in gone.text or "\n" in come.text
    noise = "" if are_many else detail.noise(gone.text, come.text)
    edits = detail.edits(gone.text, come.text)
    for old, new, removed, added in changed_pieces(gone.text, come.text, edits):
        if max(old[1] - old[0], new[1] - new[0]) > MAX_PIECE:
            at = come.start + new[0]
            yield from removal(_part(gone, old), at)
            yield from addition(_part(come, new))
        else:
            before = _located(gone.start, old, removed)
            after = _located(come.start, new, added)
            yield LocatedEdit("edited", before, after, after.start, noise, alone)


def _pieces(unit: Unit) -> Iterator[tuple[int, int]]:
    if len(unit.text) <= MAX_PIECE:
        yield unit.start, unit.end
        return
    for piece in _CUT.finditer(unit.text):
        yield unit.start + piece.start(), unit.start + piece.end()


def _part(unit: Unit, bounds: Bounds) -> Unit:
    return Unit(unit.text[slice(*bounds)], unit.start + bounds[0], unit.line)


def _located(start: int, piece: Bounds, changed: Sequence[Bounds]) -> Located:
    moved = [(start + first, start + last) for first, last in changed]
    return Located(start + piece[0], start + piece[1], moved)
