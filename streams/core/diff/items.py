"""What belongs to a new item, though the other snapshot has it as well.

"Medical aid" stands in each second entry of a list, and "This incident has been resolved." in
all of them; yet they have come with a new entry, or gone with one.
"""

from bisect import bisect
from collections.abc import Iterable, Iterator, Sequence
from functools import cached_property

from streams.core.diff.window import Window
from streams.core.text.units import Unit, cut_lines

# A block of more lines or characters is no item.
_MAX_LINES = 60
_MAX_LENGTH = 4_000
# Words that a label has less of, and lines of labels between two new lines.
_SHORT = 5
_MAX_BETWEEN = 3


class Items:
    """The items of one snapshot: blocks of lines, with no empty line between them."""

    def __init__(
        self,
        here: Window,
        there: Window,
        found: Sequence[Unit],
        new: Iterable[Unit],
        copies: frozenset[int],
    ) -> None:
        """``found`` are the units that came or went; of them ``new`` are no edit of another.

        ``there``, the other snapshot, has none of them but those that start at ``copies``.
        """
        self._here = here
        self._there = there
        self._found = {unit.start for unit in found}
        self._copies = copies
        self._fresh = {unit.line for unit in found if unit.start not in copies}
        self._new = {unit.line for unit in new if unit.start not in copies}
        self._taken: set[int] = set()
        self._blocks: dict[int, bool] = {}

    def complete(self, units: Sequence[Unit], bounds: tuple[int, int]) -> list[Unit]:
        """Return new units with what belongs to them; ``bounds`` are lines around them."""
        found = list(units)
        for unit in units:
            if unit.start in self._copies:
                continue
            start, end = self._block(unit.line)
            if start < end and self._is_new_block(start, end):
                found += self._known(range(start, end))
            else:
                found += self._known(self._labels(unit.line, bounds))
        return sorted(found, key=lambda unit: unit.start)

    def _block(self, line: int) -> tuple[int, int]:
        """Return the lines of a block, from the first to the one after the last; none if large."""
        blanks = self._blanks
        number = bisect(blanks, line)
        start, end = blanks[number - 1] + 1, blanks[number]
        starts = self._here.starts
        is_large = end - start > _MAX_LINES or starts[end] - starts[start] > _MAX_LENGTH
        return (line, line) if is_large else (start, end)

    def _is_new_block(self, start: int, end: int) -> bool:
        if start not in self._blocks:
            self._blocks[start] = self._is_new(start, end)
        return self._blocks[start]

    def _is_new(self, start: int, end: int) -> bool:
        """Whether a block has more lines that are nowhere else than lines that make it known."""
        lines = [line.strip() for line in self._here.lines[start:end]]
        fresh = sum(1 for number in range(start, end) if number in self._fresh)
        counts, others = self._here.line_counts, self._there.line_counts
        return fresh > sum(1 for line in lines if counts[line] == others.get(line) == 1)

    def _labels(self, line: int, bounds: tuple[int, int]) -> Iterator[int]:
        """Yield the short lines next to a new one, and all of a few between it and another."""
        for step in (-1, 1):
            between: list[int] = []
            number = line + step
            while len(between) <= _MAX_BETWEEN and self._is_label(number):
                between.append(number)
                number += step
            is_between = len(between) <= _MAX_BETWEEN and number in self._new
            for each in between if is_between else between[:1]:
                if is_between or bounds[0] <= each < bounds[1]:
                    yield each

    def _is_label(self, number: int) -> bool:
        if not 0 <= number < len(self._here.lines) or number in self._fresh:
            return False
        line = self._here.lines[number]
        return bool(line.strip()) and len(line.split(None, _SHORT)) < _SHORT

    def _known(self, numbers: Iterable[int]) -> Iterator[Unit]:
        """Yield the units of lines that the other snapshot has as well, each once; no rows."""
        for number in numbers:
            if number not in self._taken and "\t" not in self._here.lines[number]:
                self._taken.add(number)
                line = self._here.starts[number], self._here.lines[number]
                for unit in cut_lines([(number, *line)]):
                    if unit.start not in self._found and not self._has_moved(unit):
                        yield unit

    def _has_moved(self, unit: Unit) -> bool:
        """Whether a unit stands once in each snapshot: then it is the same one."""
        line = self._here.lines[unit.line].strip()
        is_line = len(line) == len(unit.text)
        here, there = (
            each.line_counts if is_line else each.unit_counts for each in (self._here, self._there)
        )
        return here[unit.text] == there[unit.text] == 1

    @cached_property
    def _blanks(self) -> list[int]:
        """The numbers of the empty lines, with one before the first line and one after the last."""
        lines = self._here.lines
        return [-1, *(n for n, line in enumerate(lines) if not line.strip()), len(lines)]
