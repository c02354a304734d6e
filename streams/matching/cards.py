"""Names of the cards in which values stand, such as a product and its price."""

import re
from bisect import bisect_left
from collections import Counter
from collections.abc import Iterable, Sequence
from functools import cached_property
from itertools import accumulate, chain

from schemas.records.changes import Place
from streams.matching.sentences import EDITED, REMOVED, ChangedSentence
from streams.text.cards import MAX_LINES, MAX_NAME, is_card, is_name, size_after, size_before

NAME = re.compile(r"((?:[\w-]+\.)*)(?:name|title)(?:: | - )")
"""Finds the field that names a record, and the path of it."""

_MAX_VALUE = 8
"""Words of a value."""
_MAX_LENGTH = 80
"""Characters of a value, and of the name of a card without a heading."""
_LEAST, _MAX_CARDS = 3, 6
"""Cards of a block to compare, at least, and at most before and after a value."""
WHOLE_SENTENCE = re.compile(r"(?:(?:\S+\s+){3}.*[.!?\u2026]|.*\u3002)\W*\Z")
_NUMBER = re.compile(r"\d+(?:[.,]\d+)*")
_COUNT = re.compile(r"(?:\A|[^\w\s])\s*(?:\d{3,}|\d{1,3}(?:[.,' \u202f]\d{3})+) ?[^\W\d_]{4,}")
"""Finds a count of a hundred things or more, such as views: a first number, and a word."""
GAP = "\n\n"
"""Stands between two blocks."""

_Bounds = tuple[int, int]


class _Block:
    """Lines of a text, and where each starts there."""

    def __init__(self, text: str, start: int, end: int) -> None:
        self._text = text[start:end]
        self.lines = self._text.split("\n")
        self.starts = list(accumulate((len(line) + 1 for line in self.lines[:-1]), initial=start))
        self._like_names: dict[int, bool] = {}

    def bounds(self, number: int) -> _Bounds:
        """Return the start and the end of a line."""
        return self.starts[number], self.starts[number] + len(self.lines[number])

    @cached_property
    def names(self) -> list[tuple[int, str, str | None]]:
        """The short lines by number, with the path of a field that names a record."""
        found = enumerate(self.lines)
        short = ((number, line) for number, line in found if _is_short(line))
        fields = ((number, line, NAME.match(line)) for number, line in short)
        return [(number, line, field[1] if field else None) for number, line, field in fields]

    def is_like_name(self, number: int) -> bool:
        """Whether a line stands once, and may be the name of a card."""
        found = self._like_names.get(number)
        if found is None:
            line = self.lines[number]
            found = self._like_names[number] = self.counts[line] == 1 and _may_name(line)
        return found

    @cached_property
    def numbers(self) -> dict[str, int]:
        """The number of each line, the last of equal ones."""
        return {line: number for number, line in enumerate(self.lines)}

    @cached_property
    def counts(self) -> Counter[str]:
        """The count of each line."""
        return Counter(self.lines)

    @cached_property
    def masks(self) -> list[str]:
        """The lines, with 0 for each number."""
        return _NUMBER.sub("0", self._text).split("\n")

    def block_end(self, number: int) -> int:
        """Return the first empty line after a line, or the end."""
        lines = self.lines[number : number + MAX_LINES + 1]
        return number + (lines.index("") if "" in lines else len(lines))

    @cached_property
    def mask_counts(self) -> Counter[str]:
        """The count of each mask."""
        return Counter(self.masks)


_NOTHING = _Block("", 0, 0)


class Cards:
    """Finds the name of a value's card, and reads each block once.

    A value is a short line, such as a price; a sentence of a section is none, and neither is a new
    or gone row, or a row of more than two cells: the first cell is its name. The name of a value
    is a short heading of its block or of the block before; the field that names its record, of
    which ``shoes.name`` names the values of ``shoes`` alone; or, without either, the first line of
    a card next to others. That is a block of a few lines, or some lines of a block of which the
    values recur.
    """

    def __init__(self) -> None:
        self._known: dict[tuple[int, int, int], _Block] = {}
        self._names: dict[tuple[int, int], _Bounds | None] = {}

    def name(self, value: ChangedSentence) -> _Bounds | None:
        """Return where the name of a value's card is; None without one, or if it is no value."""
        key = id(value.place), value.start
        if key not in self._names:
            self._names[key] = self._found(value)
        return self._names[key]

    def concerned(self, value: ChangedSentence) -> _Bounds | None:
        """Return the name that a value concerns.

        A counter concerns a heading or a field alone; a count of a hundred things or more, no name.
        """
        name = self.name(value)
        if name is None or not value.edit.noise:
            return name
        if _COUNT.search(value.text):
            return None
        line = value.place.text[slice(*name)]
        return name if line in value.region.headings or NAME.match(line) else None

    def _found(self, value: ChangedSentence) -> _Bounds | None:
        text, start, end = value.place.text, value.start, value.end
        if end - start > _MAX_LENGTH or text.count(" ", start, end) >= _MAX_VALUE:
            return None
        if text.count("\t", start, end) > (value.change == EDITED):
            return None
        if text[max(0, start - 1) : start] not in ("", "\n") or text[end : end + 1] not in (
            "",
            "\n",
        ):
            return None
        first, last = block_start(text, start), text.find(GAP, end)
        last = last if last >= 0 else len(text)
        if _is_short_section(value, first, last) or WHOLE_SENTENCE.match(text, start, end):
            return self._headed(value, first, last)
        block = self._block(value.place, first, last)
        number, heading = bisect_left(block.starts, start), value.region.headings[-1:]
        begin = block.numbers.get("".join(heading), -1) + 1
        if begin == 0 and _may_name(block.lines[0]) and _has_like(text, first, last):
            is_named = number > 0 and self._is_state(block, number, value)
            return block.bounds(0) if is_named else None
        name = self._name_among(block, number, begin if begin <= number else 0, value)
        return self._headed(value, first, last) if name is None else block.bounds(name)

    def _headed(self, value: ChangedSentence, first: int, last: int) -> _Bounds | None:
        """Return the heading or the field that names a value."""
        text, heading = value.place.text, next(iter(value.region.headings[-1:]), "\n")
        before = block_start(text, first - len(GAP)) if first else 0
        if text.startswith(f"{heading}\n", before):
            first = before  # a list may be between
        if _is_short(heading) and text.startswith(f"{heading}\n", first):
            return first, first + len(heading)
        block = self._block(value.place, first, last)
        for number, line, path in block.names:
            if line == heading or (path is not None and text.startswith(path, value.start)):
                return block.bounds(number)
        return None

    def _name_among(
        self, block: _Block, number: int, begin: int, value: ChangedSentence
    ) -> int | None:
        """Return the name of a line among cards that stand below each other from a line on."""
        if len(block.lines) - begin < 2 * _LEAST:
            return None
        for size in range(2, MAX_LINES + 1):
            column = _column(block.masks, number, size, begin)
            if _recur(column):
                lines = _lines_above(block, number, size, begin)
                name = next((each for each in lines if _names_cards(block, each, size, begin)), -1)
                if name >= 0:
                    return name if self._is_kept(block, name, size, value) else None
                if column.count(column[0]) == len(column):
                    break  # cards of this size have no name
        return None

    def _is_kept(self, block: _Block, name: int, size: int, value: ChangedSentence) -> bool:
        """Whether the other side has a card with this name as well, before the same card."""
        there = self._other_side(value)
        at = there.numbers.get(block.lines[name])
        below = slice(name + size, name + size + 1)
        return at is not None and there.lines[at + size : at + size + 1] == block.lines[below]

    def _is_state(self, block: _Block, number: int, value: ChangedSentence) -> bool:
        """Whether a line of a block, or its line in the block there, recurs, but for numbers.

        It recurs more often than the first line of the block; else the block is a list with a copy.
        """
        here = self._block(value.place, 0, len(value.place.text))
        there = self._other_side(value)
        at = there.numbers.get(block.lines[0])
        if at is None or there.block_end(at) - at != len(block.lines):
            return False
        both = {block.masks[number], *there.masks[at + number : at + number + 1]}
        names = here.counts[block.lines[0]] + there.counts[block.lines[0]]
        return sum(here.mask_counts[each] + there.mask_counts[each] for each in both) > names

    def _other_side(self, value: ChangedSentence) -> _Block:
        other = value.region.added if value.event == REMOVED else value.region.removed
        return self._block(other, 0, len(other.text)) if other else _NOTHING

    def _block(self, place: Place, start: int, end: int) -> _Block:
        key = id(place), start, end
        if key not in self._known:
            self._known[key] = _Block(place.text, start, end)
        return self._known[key]


def block_start(text: str, end: int) -> int:
    """Return where the block starts in which an offset is."""
    gap = text.rfind(GAP, 0, end)
    return gap + len(GAP) if gap >= 0 else 0


def _is_short_section(value: ChangedSentence, start: int, end: int) -> bool:
    """Whether a block is a heading with too few lines below for several cards."""
    text, heading = value.place.text, "".join(value.region.headings[-1:])
    is_headed = bool(heading) and text.startswith(f"{heading}\n", start)
    return is_headed and text.count("\n", start, end) + 1 < 2 * _LEAST


def _is_short(line: str) -> bool:
    return bool(line.strip()) and line.count(" ") < MAX_NAME


def _may_name(line: str) -> bool:
    return len(line) <= _MAX_LENGTH and is_name(line)


def _has_like(text: str, start: int, end: int) -> bool:
    """Whether a block has a few lines, and so has the block before or after it."""
    size = text.count("\n", start, end) + 1
    return is_card(size_before(text, start), size, size_after(text, end))


def _lines_above(block: _Block, number: int, size: int, begin: int) -> Iterable[int]:
    """Return the lines of a card above a value, the nearest first.

    Before them is the first line of the card, if the cards are all that is in the block.
    """
    lines = range(number - 1, max(begin, number - size + 1) - 1, -1)
    first = number - (number - begin) % size
    if first < number and (len(block.lines) - begin) % size == 0:
        return chain([first], lines)
    return lines


def _names_cards(block: _Block, number: int, size: int, begin: int) -> bool:
    """Whether a line is like a name, and so are those of the other cards, all different."""
    if not block.is_like_name(number):
        return False
    column = _column(block.masks, number, size, begin)
    return len(set(column)) == len(column)


def _column(masks: Sequence[str], number: int, size: int, begin: int) -> Sequence[str]:
    """Return a line of a card, and the same lines of the cards before and after."""
    cards = min(_MAX_CARDS, (number - begin) // size)
    return masks[number - cards * size : number + _MAX_CARDS * size + 1 : size]


def _recur(column: Sequence[str]) -> bool:
    """Whether lines are values: some of them are the same but for numbers."""
    return _LEAST <= len(column) > len(set(column))
