"""The lines between the first and the last one in which two snapshots differ, and their lists.

An entry of a list that has no empty lines between begins as the first line of the list does: with
a time, a date or a number.
"""

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from functools import cached_property
from itertools import accumulate, pairwise

from streams.text.units import Unit, cut_line, cut_lines, unit_texts

# Sentences that are searched for one by one; for more of them the whole text is cut up.
_FEW = 64
# Places of one sentence that are looked at.
_MAX_PLACES = 16
_MAX_LINE = 10_000
JOINED_LINES = 50
"""Lines that are one unit where there are too many to look at each."""

# How an entry begins: 12:30, 3., Dec 8, or AB-1201.
_BEGIN = re.compile(r"[^\w\s]*(?:[^\W\d_]{1,9}[ .-]{0,2})?\d[\d\W]*")
_MASKS = (re.compile(r"[^\W\d_]+"), "a"), (re.compile(r"\d+"), "0")
# Many lines begin so that are no entries: with a number of something, or with a word and a number.
_COMMON = frozenset({"0", "a0", "a 0"})
_MIN_ENTRIES = 3


class Window:
    """Some lines of a snapshot, by number, and what it has anywhere.

    A sentence stands verbatim in a snapshot if it is one there; within others it is not.
    """

    def __init__(self, text: str, start: int, end: int) -> None:
        """``start`` and ``end`` are the characters of the text between which the lines are."""
        self.text = text
        self.lines = text[start:end].split("\n")
        self.starts = list(accumulate([len(line) + 1 for line in self.lines], initial=start))

    def units(self, start: int, end: int, without: frozenset[str]) -> Iterator[Unit]:
        """Yield the units of the lines from one number to another, except certain lines."""
        numbers = (n for n in range(start, end) if self.lines[n] not in without)
        return cut_lines((n, self.starts[n], self.lines[n]) for n in numbers)

    def joined_units(self, start: int, end: int) -> Iterator[Unit]:
        """Yield the lines from one number to another, JOINED_LINES of them as one unit each."""
        for first in range(start, end, JOINED_LINES):
            text = self.between(first, min(first + JOINED_LINES, end))
            if words := text.strip():
                yield Unit(words, self.starts[first] + text.index(words), first)

    def between(self, start: int, end: int) -> str:
        """Return the text of the lines from one number to another."""
        return self.text[self.starts[start] : self.starts[end]]

    @cached_property
    def line_counts(self) -> Counter[str]:
        """The count of each line, without the white space around it."""
        return Counter(map(str.strip, self.lines))

    @cached_property
    def all_line_counts(self) -> Counter[str]:
        """The count of each line in the whole snapshot, without the white space around it."""
        return Counter(map(str.strip, self.text.split("\n")))

    def has_several(self, line: str) -> bool:
        """Whether the whole snapshot has more than one such line, but for white space around it."""
        # To look for one takes less than to count all.
        if line and self.text.count(line) <= 1:
            return False
        return (not line and self.text.count("\n\n") > 1) or self.all_line_counts[line] > 1

    @cached_property
    def unit_counts(self) -> Counter[str]:
        """The count of each unit."""
        return Counter(unit_texts(self.between(0, len(self.lines))))

    @cached_property
    def line_set(self) -> frozenset[str]:
        """The different lines."""
        return frozenset(self.lines)

    @cached_property
    def blocks(self) -> list[tuple[int, int]]:
        """The lines with no empty one between them: the first, and the one after the last."""
        return blocks_of(self.lines)

    @cached_property
    def beginnings(self) -> Counter[str]:
        """Beginnings of what may be entries of a list, with the entries of the longest one."""
        return beginnings(self.lines, self.blocks)

    def standing(self, texts: frozenset[str]) -> frozenset[str]:
        """Return those texts that are a sentence or a line anywhere in the snapshot."""
        if len(texts) <= _FEW:
            found = {text: self._stands(text) for text in texts}
            if None not in found.values():
                return frozenset(text for text in texts if found[text])
        return texts & self._all

    def _stands(self, text: str) -> bool | None:
        """Whether a text is a sentence or a line; None if it is too often within one."""
        at = -1
        for _ in range(_MAX_PLACES):
            at = self.text.find(text, at + 1)
            if at < 0:
                return False
            start = self.text.rfind("\n", 0, at) + 1
            end = self.text.find("\n", at)
            line = self.text[start : end if end >= 0 else len(self.text)]
            if len(line) > _MAX_LINE:
                return None
            if any(piece.strip() == text for piece in cut_line(line)):
                return True
        return None

    @cached_property
    def _all(self) -> frozenset[str]:
        return frozenset(unit_texts(self.text))


def blocks_of(lines: Sequence[str]) -> list[tuple[int, int]]:
    """Return the first line of each run of lines without an empty one, and the line after it."""
    blanks = (number for number, line in enumerate(lines) if not line or line.isspace())
    return [(a + 1, b) for a, b in pairwise([-1, *blanks, len(lines)]) if a + 1 < b]


def beginnings(lines: Sequence[str], blocks: Iterable[tuple[int, int]]) -> Counter[str]:
    """Return how the lines of blocks begin as the first one does, with signs for words and numbers.

    Their number is that of the block with the most of them.
    """
    found: Counter[str] = Counter()
    for first, end in blocks:
        if end - first >= 2 * _MIN_ENTRIES and (begin := _begin(lines[first])):
            count = sum(1 for line in lines[first:end] if _begin(line) == begin)
            if count <= (end - first) // 2:
                found[begin] = max(found[begin], count)
    return found


def list_beginnings(one: Counter[str], other: Counter[str]) -> frozenset[str]:
    """Return how the entries of lists begin: three in one text, or with a time of day in both."""
    return frozenset(
        begin
        for begin in one | other
        if max(one[begin], other[begin]) >= _MIN_ENTRIES
        or (":" in begin and one[begin] + other[begin] >= _MIN_ENTRIES)
    )


def is_entry(line: str, known: frozenset[str]) -> bool:
    """Whether a line begins as the entries of a list do."""
    return _begin(line) in known


def entries(lines: Sequence[str], known: frozenset[str]) -> list[int]:
    """Return the lines at which the entries of a block start; none if it is no list.

    ``known`` are the beginnings of entries. What comes after as many lines as the longest entry
    has is not of the last one: it is returned as another.
    """
    begin = _begin(lines[0])
    if begin not in known:
        return []
    found = [number for number, line in enumerate(lines) if _begin(line) == begin]
    longest = max((b - a for a, b in pairwise(found)), default=len(lines))
    end = found[-1] + longest
    return [*found, end] if end < len(lines) else found


def _begin(line: str) -> str:
    """Return how a line begins if it may be an entry; empty if it may not."""
    found = _BEGIN.match(line)
    if not found:
        return ""
    begin = found[0].strip()
    for pattern, sign in _MASKS:
        begin = pattern.sub(sign, begin)
    return "" if begin in _COMMON else begin
