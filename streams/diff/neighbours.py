"""Sentences that stand next to each other: by them a sentence is the one that it was.

In a list that got an entry on top and lost its last one both may be alike, but for a number. Each
has its place, between other neighbours.
"""

import re
from collections.abc import Iterator
from functools import cached_property
from itertools import takewhile

from streams.diff.changed_lines import Window
from streams.diff.noise import differ_in_age
from streams.text.times import TIMES, is_age
from streams.text.units import Unit, cut_line

AGE = "0 ago"
"""The mask of all ages."""
# Lines from a sentence, without empty ones, in which a neighbour is looked for.
_MAX_DISTANCE = 3
# Lines from a clause, in which the one before or after it is looked for by its number.
_MAX_CLAUSE = 30
# Characters on each side of a sentence in its line, in which a neighbour is looked for.
_MAX_PIECE = 1_000
# With its sign; it begins with one set of characters, for which alone the text is searched.
_NUMBER = re.compile(r"[+\u2212\d-](?:(?<=\d)|(?=\d))\d*(?:[.,]\d+)*")
_ROW_NUMBER = re.compile(r"[#\u7b2c]?(\d{1,6})(?:[.):\u4f4d\uc704](?!\d)|(?=[\t ]))", re.ASCII)


def masked(text: str) -> str:
    """Return a text with 0 for each number; all ages are the same.

    >>> masked("Episode 21 of 30"), masked("yesterday") == masked("3 hours ago")
    ('Episode 0 of 0', True)
    """
    return AGE if is_age(text) else _NUMBER.sub("0", text)


class Neighbours:
    """Finds whether a gone and a new sentence stand next to the same line.

    That line stands once in both snapshots, or as often as the sentence does. Beyond a line that
    is the same as the sentence but for numbers, which is another entry, none is looked for.
    """

    def __init__(self, before: Window, after: Window) -> None:
        self._before = before
        self._after = after

    def are_same(self, gone: Unit, come: Unit) -> bool:
        """Whether the line before both is the same, or the one after them."""
        copies = self._before.line_counts[self._before.lines[gone.line].strip()]
        return any(
            self._nearest(self._before, gone, step, copies)
            == (self._nearest(self._after, come, step, copies) or "\n")
            for step in (-1, 1)
        )

    def beside(self, gone: Unit, come: Unit) -> list[str]:
        """Return the lines before and after both."""
        sides = (self._before, gone), (self._after, come)
        found = (
            next(_lines_beside(window, unit.line, step), "")
            for window, unit in sides
            for step in (-1, 1)
        )
        return [line for line in found if line]

    def differ_in_place(self, gone: Unit, come: Unit) -> bool:
        """Whether two rows differ in their age alone, and their numbers, which count the rows.

        The number of a date counts none.
        """
        before, after = _ROW_NUMBER.match(gone.text), _ROW_NUMBER.match(come.text)
        return bool(
            before
            and after
            and differ_in_age(gone.text[before.end() :], come.text[after.end() :])
            and _is_counted(self._before, gone.line, before)
            and _is_counted(self._after, come.line, after)
            and not TIMES.match(come.text)
        )

    @cached_property
    def masks(self) -> frozenset[str]:
        """The lines that stand in both snapshots, with 0 for each number."""
        both = self._before.line_set & self._after.line_set
        return frozenset(masked(line.strip()) for line in both)

    def _nearest(self, window: Window, unit: Unit, step: int, copies: int) -> str:
        """Return the nearest sentence or line by which a unit is found; empty if there is none."""
        if piece := _piece_beside(window, unit, step):
            return piece
        counts, others = self._before.line_counts, self._after.line_counts
        own = masked(unit.text)
        lines = takewhile(lambda each: masked(each) != own, _lines_beside(window, unit.line, step))
        return next((each for each in lines if 0 < counts[each] == others[each] <= copies), "")


def _is_counted(window: Window, line: int, found: re.Match[str]) -> bool:
    """Whether the row before or after a line has the number before or after its own.

    Between clauses, of which the numbers end with a mark, are other lines.
    """
    most = 1 if found[0].isdecimal() else _MAX_CLAUSE
    for step in (-1, 1):
        numbers = map(_ROW_NUMBER.match, _lines_beside(window, line, step, most))
        row = next(filter(None, numbers), None)
        if row and int(row[1]) == int(found[1]) + step:
            return True
    return False


def _piece_beside(window: Window, unit: Unit, step: int) -> str:
    """Return the sentence before or after a unit in its line."""
    line, start = window.lines[unit.line], unit.start - window.starts[unit.line]
    end = start + len(unit.text)
    rest = line[max(0, start - _MAX_PIECE) : start] if step < 0 else line[end : end + _MAX_PIECE]
    return cut_line(rest)[-1 if step < 0 else 0].strip() if rest.strip() else ""


def _lines_beside(
    window: Window, number: int, step: int, left: int = _MAX_DISTANCE
) -> Iterator[str]:
    """Yield the nearest lines before or after a line, without white space around them."""
    number += step
    while left and 0 <= number < len(window.lines):
        if line := window.lines[number].strip():
            left -= 1
            yield line
        number += step
