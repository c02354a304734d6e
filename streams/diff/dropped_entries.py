"""Finds the entries that were pushed off the end of a list, by those that came at its other end.

An entry is a line of a block; or a block, or several, that begins as the others do: with a heading
of one level, with one field, or, without either, of as many lines.
"""

import re
from bisect import bisect_left
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import pairwise
from typing import NamedTuple

from schemas.records.answers import Heading
from streams.diff.changed_lines import Window
from streams.diff.pairing import Pair
from streams.diff.repeated_sentences import Lines
from streams.text.units import FIELD, Unit

_LEAST = 3
"""Entries that stayed, at least."""
_EMPTY_LINE = "\n\n"
_STOP = re.compile(r"[.:;,!?\u2026\u3002]\W*\Z")

_Bounds = tuple[int, int]


class _Gap(NamedTuple):
    """All that came or went between two lines that stayed; ``at`` is its line in the new text."""

    gone: Sequence[Unit]
    come: Sequence[Unit]
    at: int


class _Ends(NamedTuple):
    """Lines of the old text that went at one end, and of the new text that came at the other.

    ``kept`` are the lines of the new text between, and ``whole`` all that it has.
    """

    gone: _Bounds
    come: _Bounds
    kept: _Bounds
    whole: _Bounds


def dropped_entries(
    old: Window,
    new: Window,
    places: Iterable[Lines],
    partners: Mapping[int, Pair],
    headings: Sequence[Heading],
) -> Iterator[range]:
    """Yield the characters of the old text that were pushed off the end of a list with an entry.

    Nothing else came or went between them and the new ones, of which there are as many at least.
    ``partners`` are the pairs by where their new units start, ``headings`` those of the new text.
    """
    for ends in _ends(gap for place in places for gap in _gaps(place, partners)):
        kept = new.lines[slice(*ends.kept)]
        if len(kept) >= _LEAST and all(map(str.strip, kept)):
            if _are_lines(old, new, ends):
                yield _characters(old, *ends.gone)
        elif len(kept) >= _LEAST and _are_blocks(old, new, ends, headings):
            yield _characters(old, ends.gone[0], _blocks(old, ends.gone)[-1][1])


def _characters(window: Window, start: int, end: int) -> range:
    return range(window.starts[start], window.starts[end])


def _gaps(place: Lines, partners: Mapping[int, Pair]) -> Iterator[_Gap]:
    """Yield what came or went between the pairs of a place, if these have kept their order."""
    a, b, c, d = place.bounds
    pairs = (partners[unit.start] for unit in place.come if unit.start in partners)
    kept = [(pair.gone.line, pair.come.line) for pair in pairs if a <= pair.gone.line < b]
    if not kept or any(one[0] > other[0] for one, other in pairwise(kept)):
        if place.gone or place.come:
            yield _Gap(place.gone, place.come, c)
        return
    low, at = a, c
    for end, until in (*kept, (b, d)):
        gone, come = _between(place.gone, low, end), _between(place.come, at, until)
        if gone or come:
            yield _Gap(gone, come, at)
        low, at = end + 1, until + 1


def _between(units: Sequence[Unit], start: int, end: int) -> Sequence[Unit]:
    first, last = (bisect_left(units, line, key=lambda unit: unit.line) for line in (start, end))
    return units[first:last]


def _ends(gaps: Iterable[_Gap]) -> Iterator[_Ends]:
    """Yield what only went in one gap as others only came in the next one, or before."""
    for one, other in pairwise(gaps):
        top, bottom = (one, other) if one.come else (other, one)
        if not top.come or top.gone or not bottom.gone or bottom.come:
            continue
        gone, come = ((each[0].line, each[-1].line + 1) for each in (bottom.gone, top.come))
        kept = (come[1], bottom.at) if one.come else (bottom.at, come[0])
        yield _Ends(gone, come, kept, (min(come[0], kept[0]), max(come[1], kept[1])))


def _are_lines(old: Window, new: Window, ends: _Ends) -> bool:
    """Whether all are lines of one block: up to its end, and below its first line at most.

    Rows may be below the row of the headers of their columns, too.
    """
    (first, last), (start, end) = _blocks(old, ends.gone)[0], _blocks(new, ends.whole)[0]
    above = 1 + ("\t" in new.lines[ends.kept[0]])
    # A list of paragraphs, which no empty line ends, may have other lines below.
    is_above_others = _size(ends.gone) == _size(ends.come) and _are_headlines(
        [*old.lines[slice(*ends.gone)], *new.lines[slice(*ends.whole)]],
        new.lines[ends.whole[1] : end],
    )
    is_end = (
        (ends.gone[1] == last or is_above_others) and ends.gone[0] > first
        if ends.come < ends.kept
        else ends.gone[0] - first <= above and ends.gone[1] < last
    )
    is_whole = ends.whole[0] - start <= above and (ends.whole[1] == end or is_above_others)
    return is_end and is_whole and _size(ends.gone) <= _size(ends.come)


def _are_headlines(lines: Sequence[str], below: Sequence[str]) -> bool:
    """Whether lines are headlines, of which each is twice as long as any of the lines below."""
    shortest = min(map(len, lines))
    return not any(map(_STOP.search, lines)) and all(2 * len(each) <= shortest for each in below)


def _size(bounds: _Bounds) -> int:
    return bounds[1] - bounds[0]


def _are_blocks(old: Window, new: Window, ends: _Ends, headings: Sequence[Heading]) -> bool:
    """Whether all are entries of one list, and no other entry of it is before or after them."""
    gone, come = _blocks(old, ends.gone), _blocks(new, ends.come)
    if (gone[0][0], come[0][0]) != (ends.gone[0], ends.come[0]) or len(gone) > len(come):
        return False
    start, end = new.starts[ends.whole[0]], new.starts[ends.whole[1]]
    level = next((each.level for each in headings if each.start == start), 0)
    return _are_below(level, headings, start, end) if level else _are_alike(old, new, ends)


def _are_below(level: int, headings: Sequence[Heading], start: int, end: int) -> bool:
    """Whether headings between two offsets are all of a level that begins a list there."""
    within = [each.level for each in headings if start <= each.start < end]
    above = [each.level for each in headings if each.start < start and each.level <= level]
    below = [each.level for each in headings if each.start >= end and each.level <= level]
    is_all = min(within) == level and level not in (*above[-1:], *below[:1])
    return is_all and within.count(level) > _LEAST


def _are_alike(old: Window, new: Window, ends: _Ends) -> bool:
    """Whether blocks begin with one field or have as many lines, those around them do not."""
    sides = (old, ends.gone), (new, ends.whole)
    blocks = [window.between(*each) for window, lines in sides for each in _blocks(window, lines)]
    shapes = set(map(_shape, blocks))
    start, end = (new.starts[line] for line in ends.whole)
    before = new.text[:start].rstrip().rpartition(_EMPTY_LINE)[2]
    after = new.text[end:].lstrip().partition(_EMPTY_LINE)[0]
    is_one = len(shapes) == 1 and "" not in shapes
    return is_one and len(blocks) > _LEAST + 1 and shapes.isdisjoint(map(_shape, (before, after)))


def _shape(block: str) -> str:
    """Return the field that a block begins with, or its number of lines; empty if it has one."""
    field = FIELD.match(block)
    lines = block.strip().count("\n")
    return field[0] if field else str(lines) if lines else ""


def _blocks(window: Window, lines: _Bounds) -> list[_Bounds]:
    """Return the blocks that have some of the lines."""
    return [each for each in window.blocks if each[0] < lines[1] and each[1] > lines[0]]
