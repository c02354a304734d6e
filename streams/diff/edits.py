"""Edits with their places in the two snapshots, before they are put into regions."""

import re
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from streams.diff.alignment import Region
from streams.diff.changed_lines import Window
from streams.diff.common_ends import has_same_units
from streams.diff.comparison import differing_part, merge_close_edits, text_edits
from streams.diff.noise import MAX_LENGTH, differ_in_age, noise_of
from streams.diff.pairing import Pair
from streams.diff.sentences import Bounds, Edits, changed_pieces
from streams.text.units import Unit

# Characters of one piece; a sentence or line that is longer is cut at white space.
MAX_PIECE = 50_000
_CUT = re.compile(rf"(?=\S).{{1,{MAX_PIECE}}}(?=\s|\Z)|\S{{{MAX_PIECE}}}", re.DOTALL)

# Characters of pairs that are looked through for noise in one change: about 0.8 s.
_NOISE_BUDGET = 800_000
# Edits of words that are found in one change: about 1 s.
_EDITS_BUDGET = 50_000

_Entry = tuple[Unit, Pair | None]

_NOTHING: frozenset[str] = frozenset()


class EditFinder:
    """Finds the edits and the noise of the pairs of one change, as long as a budget lasts."""

    def __init__(self) -> None:
        self._noise = _NOISE_BUDGET
        self._edits = _EDITS_BUDGET

    def noise(self, old: str, new: str) -> str:
        """Return what alone differs, as ``noise_of``; empty if the budget is spent."""
        if self._noise <= 0:
            return ""
        self._noise -= min(len(old), MAX_LENGTH) + min(len(new), MAX_LENGTH)
        return noise_of(old, new)

    def edits(self, old: str, new: str) -> Edits:
        """Return the edits of words; if the budget is spent, one from the first to the last."""
        if self._edits <= 0:
            return [] if has_same_units(old, new) else [differing_part(old, new)]
        found = list(text_edits(old, new))
        self._edits -= len(found)
        merged = merge_close_edits(old, found) if len(found) > 1 else found
        return [edit[:4] for edit in merged]


class Located(NamedTuple):
    """A sentence in its snapshot, with its runs of changed words; all offsets are there."""

    start: int
    end: int
    changed: Sequence[Bounds] = ()


class LocatedEdit(NamedTuple):
    """An edit; ``at`` is where it is in the new snapshot, even if nothing stands there.

    ``alone``: its two sides are too far apart to be in one region with others. ``dropped``: others
    pushed it off the end of a list.
    """

    change: str
    removed: Located | None
    added: Located | None
    at: int
    noise: str = ""
    alone: bool = False
    dropped: bool = False


def removal(unit: Unit, at: int) -> Iterator[LocatedEdit]:
    """Yield the edits that a unit which is gone makes: one, unless it is very long."""
    for start, end in _pieces(unit):
        yield LocatedEdit("removed", Located(start, end), None, at)


def addition(unit: Unit) -> Iterator[LocatedEdit]:
    """Yield the edits that a unit which has come makes: one, unless it is very long."""
    for start, end in _pieces(unit):
        yield LocatedEdit("added", None, Located(start, end), start)


def edition(pair: Pair, detail: EditFinder, *, alone: bool) -> Iterator[LocatedEdit]:
    """Yield the edits that lead from one unit to the other: one, unless they are very long.

    How long ago an entry was, and which number it has in its list, is no text of it.
    """
    gone, come = pair.gone, pair.come
    # Many lines that are compared as one would take seconds in all.
    are_many = "\n" in gone.text or "\n" in come.text
    noise = "" if are_many else detail.noise(gone.text, come.text)
    if pair.is_same or (noise == "times" and differ_in_age(gone.text, come.text)):
        return
    if not pair.is_sure:
        noise = ""
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


def in_order(
    stretch: range,
    at: int,
    removed: Sequence[Unit],
    added: Sequence[Unit],
    edited: Sequence[Pair],
    detail: EditFinder,
) -> Iterator[LocatedEdit]:
    """Yield edits by their places in the new text, removed before added.

    What was removed comes before the first pair of which the old side stands after it.
    ``stretch`` are the characters of the old text that are here, and ``at`` is where they were
    in the new one; a pair with an old side elsewhere has moved.
    """
    entries: list[_Entry] = [(pair.come, pair) for pair in edited]
    entries += ((unit, None) for unit in added)
    entries.sort(key=lambda entry: entry[0].start)
    limits = list(_limits(entries, stretch))[::-1]
    left = list(reversed(removed))
    for (come, pair), limit in zip(entries, limits, strict=True):
        while left and left[-1].start < limit:
            yield from removal(left.pop(), come.start)
        if pair is None:
            yield from addition(come)
        else:
            yield from edition(pair, detail, alone=pair.gone.start not in stretch)
        at = come.end
    while left:
        yield from removal(left.pop(), at)


def _limits(entries: Sequence[_Entry], stretch: range) -> Iterator[int]:
    """Yield, from the last entry to the first, where the old side of the next pair starts."""
    limit = stretch.stop
    for _, pair in reversed(entries):
        if pair is not None and pair.gone.start in stretch:
            limit = pair.gone.start
        yield limit


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
