"""Finds the entries of lists that have no empty lines between them.

An entry begins as the first line of the list does: with a time, a date or a number.
"""

import re
from collections.abc import Iterable, Sequence
from itertools import pairwise

# How an entry begins: 12:30, 3., Dec 8, or AB-1201.
_BEGIN = re.compile(r"[^\w\s]*(?:[^\W\d_]{1,9}[ .-]{0,2})?\d[\d\W]*")
_MASKS = (re.compile(r"[^\W\d_]+"), "a"), (re.compile(r"\d+"), "0")
# Many lines begin so that are no entries: with a number of something, or with a word and a number.
_COMMON = frozenset({"0", "a0", "a 0"})
_MIN_ENTRIES = 3


def blocks_of(lines: Sequence[str]) -> list[tuple[int, int]]:
    """Return the first line of each run of lines without an empty one, and the line after it."""
    blanks = (number for number, line in enumerate(lines) if not line or line.isspace())
    return [(a + 1, b) for a, b in pairwise([-1, *blanks, len(lines)]) if a + 1 < b]


def beginnings(lines: Sequence[str], blocks: Iterable[tuple[int, int]]) -> frozenset[str]:
    """Return how the entries of the lists among blocks begin, with signs for words and numbers."""
    found = set()
    for first, end in blocks:
        if end - first >= 2 * _MIN_ENTRIES and (begin := _begin(lines[first])):
            count = sum(1 for line in lines[first:end] if _begin(line) == begin)
            if _MIN_ENTRIES <= count <= (end - first) // 2:
                found.add(begin)
    return frozenset(found)


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
