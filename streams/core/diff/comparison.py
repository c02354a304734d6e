"""Where two texts differ: by lines, then by words within them, then by units.

White space belongs to no unit, so cutting at line feeds and at blanks loses nothing,
and only what differs is looked at closer. A ``Change`` has character offsets:
``old[a:b]`` became ``new[c:d]``, and how many units that is on each side.
"""

import re
from collections.abc import Iterable, Iterator
from itertools import accumulate, count
from operator import sub

from streams.core.diff.alignment import Region, differing_regions, fits
from streams.core.diff.expressions import joined_units, widen_to_expressions
from streams.core.text.tokens import SPACED_UNIT, UNIT

_TO_LAST_SPACE = re.compile(r"(?:.*\s)?", re.DOTALL)
_SPACE = re.compile(r"\s")
_SPACED_WORD = re.compile(r"\S+\s*")


Edit = tuple[int, int, int, int, int, int]
"""A region in characters, then the numbers of units removed and added."""


def changes(old: str, new: str) -> Iterator[Edit]:
    """Give what differs, in order, from the first unit of each side to its last."""
    for lines in _by_lines(old, new, _trimmed(old, new)):
        for words in _by_words(old, new, lines):
            yield from _by_units(old, new, words)


def units(text: str, start: int, end: int) -> int:
    """Count the units between two offsets."""
    return len(UNIT.findall(text, start, end))


def _trimmed(old: str, new: str) -> Region:
    """Leave out what is the same at the start and at the end, up to white space."""
    size = _common(old, new)
    start = _TO_LAST_SPACE.match(old, 0, size).end()  # type: ignore[union-attr]  # takes ""
    limit = min(len(old), len(new)) - start
    size = _common_end(old, new, limit)
    space = _SPACE.search(old, len(old) - size)
    tail = len(old) - space.start() if space else 0
    return start, len(old) - tail, start, len(new) - tail


def _common(old: str, new: str) -> int:
    """Give how many characters are the same at the start, by halving."""
    low, high = 0, min(len(old), len(new))
    while low < high:
        middle = (low + high + 1) // 2
        if old[low:middle] == new[low:middle]:
            low = middle
        else:
            high = middle - 1
    return low


def _common_end(old: str, new: str, high: int) -> int:
    low, m, n = 0, len(old), len(new)
    while low < high:
        middle = (low + high + 1) // 2
        if old[m - middle : m - low] == new[n - middle : n - low]:
            low = middle
        else:
            high = middle - 1
    return low


def _by_lines(old: str, new: str, widen_to_expressions: Region) -> Iterable[Region]:
    """Give the lines that differ, or the whole if that is nearly all of a text of modest size."""
    a, b, c, d = widen_to_expressions
    before, after = _sentences(old[a:b]), _sentences(new[c:d])
    found = list(_placed(differing_regions(before, after), _starts(before, a), _starts(after, c)))
    touched = sum(b - a + d - c for a, b, c, d in found)
    if 4 * touched > 3 * (b - a + d - c) and fits(old.count(" ", a, b), new.count(" ", c, d)):
        return (widen_to_expressions,)
    return found


def _sentences(text: str) -> list[str]:
    """Cut a text at line feeds, and at a blank behind a full stop."""
    return text.replace(". ", ".\n").split("\n")


def _by_words(old: str, new: str, lines: Region) -> Iterator[Region]:
    a, b, c, d = lines
    before, after = old[a:b].split(), new[c:d].split()
    at, to = _word_starts(old, a, b, before), _word_starts(new, c, d, after)
    return _placed(differing_regions(before, after), at, to)


def _starts(pieces: list[str], start: int) -> list[int]:
    """Give where each piece would begin, were there nothing between them."""
    return list(accumulate(map(len, pieces), initial=start))


def _word_starts(text: str, start: int, end: int, words: list[str]) -> list[int]:
    """Give where each word would begin, had each before it a character less behind it."""
    starts = _starts(words, start)
    if not words or starts[-1] + len(words) - 1 == end:
        return starts
    pieces = _SPACED_WORD.findall(text, start, end)
    # White space before the first word is in no piece.
    starts = _starts(pieces, end - sum(map(len, pieces)))
    # Nor is there one behind the last; one is counted behind each.
    starts[-1] += 1
    return list(map(sub, starts, count()))


def _placed(found: list[Region], at: list[int], to: list[int]) -> Iterator[Region]:
    """Turn places of pieces into those of characters, with one between any two pieces."""
    for a, b, c, d in found:
        yield at[a] + a, at[b] + b - (a < b), to[c] + c, to[d] + d - (c < d)


def _by_units(old: str, new: str, words: Region) -> Iterable[Edit]:
    a, b, c, d = words
    before, after = old[a:b], new[c:d]
    # Two words, told at once; what is no ASCII is looked at below.
    if before.isalpha() and after.isalpha() and before.isascii() and after.isascii():
        return ((a, b, c, d, 1, 1),)
    removed, added = UNIT.findall(before), UNIT.findall(after)
    if set(removed).isdisjoint(added):
        return ((a, b, c, d, len(removed), len(added)),) if removed or added else ()
    at, to = _unit_starts(before, b, removed), _unit_starts(after, d, added)
    found = widen_to_expressions(
        differing_regions(removed, added), joined_units(old, at), joined_units(new, to)
    )
    return ((at[a], at[b], to[c], to[d], b - a, d - c) for a, b, c, d in found)


def _unit_starts(text: str, end: int, units: list[str]) -> list[int]:
    """Give where each unit of a text starts that stops at ``end``, and that end itself."""
    if sum(map(len, units)) < len(text):
        units = SPACED_UNIT.findall(text)
    return _starts(units, end - sum(map(len, units)))
