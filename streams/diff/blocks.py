"""Lines of a snapshot that are one item: a block with no empty line in it, or a list's entry."""

from bisect import bisect
from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Sequence
from functools import cached_property
from itertools import chain
from typing import NamedTuple

from streams.diff.changed_lines import Window, entries, is_entry, list_beginnings
from streams.text.cards import RECORD_NAME, is_card, is_name, size_after, size_before
from streams.text.units import FIELD, Unit

# A block of more lines or characters is no item.
_MAX_LINES = 60
# Lines of a headline with the words above it, which has fewer of them than the headline.
_MAX_TITLED = 4
_SHORT = 5
# Words of a value, with its label.
_MAX_VALUE = 6
_MAX_LENGTH = 4_000
_EMPTY_LINE = "\n\n"

Bounds = tuple[int, int, int, int]


class Differing(NamedTuple):
    """Lines that differ, the units in them that the other snapshot has not, and if it has others.

    ``replaces``: they are in the place of units that this snapshot has not.
    """

    lines: range
    fresh: Sequence[Unit]
    replaces: bool


def whole_blocks(old: str, differing: Bounds) -> Bounds:
    """Return the characters of the blocks in which lines differ, in both texts.

    ``differing`` are those between the lines that the old text and the new one begin and end with.
    A block that is too large to be an item is not made whole.
    """
    start, b, _, d = differing
    low = max(0, start - _MAX_LENGTH)
    found = old.rfind(_EMPTY_LINE, low, start)
    first = found + len(_EMPTY_LINE) if found >= 0 else low and start
    rest = min(_MAX_LENGTH, len(old) - b)
    found = old.find(_EMPTY_LINE, b, b + rest)
    more = found - b if found >= 0 else 0 if rest == _MAX_LENGTH else rest
    return first, b + more, first, d + more


def card_names(before: Window, after: Window) -> frozenset[str]:
    """Return the first lines of the cards that both snapshots have, and the names of records.

    A card is a block of a few lines next to another with as many, or one more or less.
    """
    return frozenset(_card_names(before)).intersection(_card_names(after))


def _card_names(window: Window) -> Iterator[str]:
    sizes = [
        size_before(window.text, window.starts[0]),
        *(end - start for start, end in window.blocks),
        size_after(window.text, window.starts[-1] - 1),
    ]
    for number, block in enumerate(window.blocks):
        if is_card(*sizes[number : number + 3]):
            first, *others = map(str.strip, window.lines[slice(*block)])
            names = [first] if is_name(first) else filter(RECORD_NAME.match, (first, *others))
            yield from (name for name in names if window.line_counts[name] == 1)


class Blocks:
    """The blocks of one snapshot, of which some are new items.

    A block is a new item if more of its lines are nowhere else than stand in both snapshots as
    often as the block does, or if all are but a few words above a headline; an entry of a list is
    if its first line, with its time or number, is nowhere else. Lines that are where they were
    stand in both, if those that are nowhere else took the place of none, or are values.
    """

    def __init__(
        self,
        here: Window,
        there: Window,
        differing: Iterable[Differing],
        known: Collection[int] = (),
    ) -> None:
        """``there`` is the other snapshot; ``differing`` are the lines without a like there.

        The blocks that begin with the ``known`` lines are items of the other snapshot as well.
        """
        self.window = here
        self._there = there
        self.fresh: set[int] = set()
        self._replaced: set[int] = set()
        self._ranges: list[range] = []
        for lines, fresh, replaces in differing:
            numbers = {unit.line for unit in fresh}
            self.fresh |= numbers
            self._replaced |= numbers if replaces else set()
            self._ranges.append(lines)
        self._found = dict.fromkeys(known, False)

    @cached_property
    def _differing(self) -> set[int]:
        return set(chain.from_iterable(self._ranges))

    def around(self, line: int) -> tuple[int, int]:
        """Return the lines of a block, from the first to the one after the last; none if large.

        A row of a table is an item by itself.
        """
        if "\t" in self.window.lines[line]:
            return line, line + 1
        number = bisect(self._bounds[0], line) - 1
        start, end = self._bounds[0][number], self._bounds[1][number]
        starts = self.window.starts
        is_large = end - start > _MAX_LINES or starts[end] - starts[start] > _MAX_LENGTH
        return (line, line) if is_large else (start, end)

    def has_new_field(self, line: str) -> bool:
        """Whether a line, without white space around it, is a field of a new record.

        Fields are the lines of an entry of a list, the lines "name: value" of a record, and what is
        above a headline. Others, such as its author, may have moved to where they are.
        """
        number = self._numbers[line]
        block = self.around(number)
        is_field = block[0] in self._bounds[2] or (FIELD.match(line) and self._is_record(*block))
        return bool(is_field or self._is_above_new(number, block[1])) and self.is_new(block)

    def _is_record(self, start: int, end: int) -> bool:
        """Whether a block has several lines "name: value"; a headline may be like one."""
        found = map(FIELD.match, self.window.lines[start:end])
        return len({field[0] for field in found if field}) > 1

    def _is_above_new(self, number: int, end: int) -> bool:
        """Whether a short line begins a block of which all other lines are new, a longer one first.

        That is how "Live blog" stands above a headline.
        """
        lines = self.window.lines[number:end]
        return (
            1 < len(lines) <= _MAX_TITLED
            and self.around(number)[0] == number
            and all(each in self.fresh for each in range(number + 1, end))
            and len(lines[0].split(None, _SHORT)) < _SHORT <= len(lines[1].split(None, _SHORT))
        )

    def is_new(self, block: tuple[int, int]) -> bool:
        """Whether a block is an item that the other snapshot has not."""
        if block[0] not in self._found:
            self._found[block[0]] = self._is_new(*block)
        return self._found[block[0]]

    def _is_new(self, start: int, end: int) -> bool:
        if start in self._bounds[2]:
            return start in self.fresh
        if self._is_above_new(start, end):
            return True
        fresh = sum(1 for number in range(start, end) if number in self.fresh)
        if not fresh or 2 * fresh > end - start:
            return bool(fresh)
        lines = Counter(map(str.strip, self.window.lines[start:end]))
        copies = self.copies((start, end))
        others = [line for line in lines if not self.is_only(line, max(lines[line], copies))]
        known = len(lines) - len(others)
        if known < fresh:
            known += len(self._in_place(start, end, copies).intersection(others))
        return known < fresh

    def _in_place(self, start: int, end: int, copies: int) -> set[str]:
        """Return the lines of a block that are where they were.

        There are none if others were replaced, unless these are values below the block's own name.
        """
        lines = self.window.lines
        replaced = [number for number in range(start, end) if number in self._replaced]
        are_values = all(
            len(lines[each].split(None, _MAX_VALUE)) <= _MAX_VALUE for each in replaced
        )
        is_named = start not in self._differing and self.is_only(lines[start].strip(), copies)
        if replaced and not (is_named and are_values):
            return set()
        return {lines[each].strip() for each in range(start, end) if each not in self._differing}

    def copies(self, block: tuple[int, int]) -> int:
        """Count how often a block stands in this snapshot, as often as what is nowhere else."""
        lines, counts = self.window.lines, self.window.line_counts
        fresh = (number for number in range(*block) if number in self.fresh)
        return max((counts[lines[number].strip()] for number in fresh), default=1)

    def is_only(self, line: str, most: int) -> bool:
        """Whether a line, without white space around it, stands equally often in both snapshots.

        What stands more often than ``most`` is in other items, too.
        """
        here = self.window.line_counts[line]
        return here <= most and here == self._there.line_counts.get(line)

    @cached_property
    def _numbers(self) -> dict[str, int]:
        return {line.strip(): number for number, line in enumerate(self.window.lines)}

    @cached_property
    def _bounds(self) -> tuple[list[int], list[int], set[int]]:
        """The starts of blocks, in order, their ends, and those that are entries of a list."""
        lines = self.window.lines
        begin = list_beginnings(self.window.beginnings, self._there.beginnings)
        starts: list[int] = []
        ends: list[int] = []
        of_lists: set[int] = set()
        for first, end in self.window.blocks:
            found = self._entries(first, end, begin) if begin else []
            of_lists.update(each for each in found if is_entry(lines[each], begin))
            starts += found or [first]
            ends += [*found[1:], end]
        return starts, ends, of_lists

    def _entries(self, first: int, end: int, begin: frozenset[str]) -> list[int]:
        """Return where the entries of a block start, and what is below the last one.

        Lines that stay below a last entry which changed, such as a footer, are no part of it.
        """
        found = [first + each for each in entries(self.window.lines[first:end], begin)]
        if found and found[-1] in self._differing:
            below = max(each for each in range(found[-1], end) if each in self._differing) + 1
            found += [below] if below < end else []
        return found
