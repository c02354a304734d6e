"""The edits that lead from one text to another: found by lines, then words, then units.

An edit within an expression, such as ``99.95`` or ``node.js``, is widened to all of it: the
keyword ``99.95`` is a phrase, found only if one passage has all of its words. Edits with next to
nothing between them become one, by the rule of diff-match-patch (N. Fraser, "Diff Strategies",
2006): an equal part is given up if it is no longer than the edit before it and the edit after it,
each measured by the larger of its two sides. Here the measure is units.

White space belongs to no unit, so text can be cut at line feeds and blanks without loss,
and only what differs is looked at more closely.
"""

import re
from bisect import bisect_left
from collections.abc import Iterable, Iterator
from itertools import accumulate, count, takewhile
from operator import sub

from streams.diff.alignment import Region, differing_regions, fits_budget
from streams.diff.common_ends import common_end, common_start
from streams.text.tokens import JOINT, SPACED_UNIT, UNIT

_TO_LAST_SPACE = re.compile(r"(?:.*\s)?", re.DOTALL)
_SPACE = re.compile(r"\s")
_SPACED_WORD = re.compile(r"\S+\s*")

# Characters of texts that are compared by words at once: a sentence.
_SHORT = 4_000

Edit = tuple[int, int, int, int, int, int]
"""``(a, b, c, d, removed, added)``: ``old[a:b]`` became ``new[c:d]``; so many units of each."""

# An equal part of more units than this stays, however large the edits around it are.
_ANCHOR = 64

# Units by which a region is widened on each side at most, for long chains of expressions.
_MAX_WIDENING = 16


def text_edits(old: str, new: str) -> Iterator[Edit]:
    """Yield the edits in order; each begins and ends with a unit, on both sides.

    ``list(text_edits("a b c", "a x c"))`` is ``[(2, 3, 2, 3, 1, 1)]``.
    """
    whole = differing_part(old, new)
    is_short = max(len(old), len(new)) <= _SHORT
    for lines in (whole,) if is_short else _by_lines(old, new, whole):
        for words in _by_words(old, new, lines):
            yield from _by_units(old, new, words)


def differing_part(old: str, new: str) -> Region:
    """Return the characters without what is equal at the start and the end, up to white space."""
    size = common_start(old, new)
    start = _TO_LAST_SPACE.match(old, 0, size).end()  # type: ignore[union-attr]  # takes ""
    limit = min(len(old), len(new)) - start
    size = common_end(old, new, limit)
    space = _SPACE.search(old, len(old) - size)
    tail = len(old) - space.start() if space else 0
    return start, len(old) - tail, start, len(new) - tail


def _by_lines(old: str, new: str, whole: Region) -> Iterable[Region]:
    """Return the lines that differ, or the whole if nearly all do and its words fit the budget."""
    a, b, c, d = whole
    before, after = _sentences(old[a:b]), _sentences(new[c:d])
    found = list(_placed(differing_regions(before, after), _starts(before, a), _starts(after, c)))
    touched = sum(b - a + d - c for a, b, c, d in found)
    if 4 * touched > 3 * (b - a + d - c) and fits_budget(
        old.count(" ", a, b), new.count(" ", c, d)
    ):
        return (whole,)
    return found


def _sentences(text: str) -> list[str]:
    """Cut a text at line feeds, and at a blank after a full stop."""
    return text.replace(". ", ".\n").split("\n")


def _by_words(old: str, new: str, lines: Region) -> Iterable[Region]:
    a, b, c, d = lines
    before, after = old[a:b].split(), new[c:d].split()
    if before != after and before == [old[a:b]] and after == [new[c:d]]:
        return (lines,)
    at, to = _word_starts(old, a, b, before), _word_starts(new, c, d, after)
    return _placed(differing_regions(before, after), at, to)


def _starts(pieces: list[str], start: int) -> list[int]:
    """Return where each piece would begin if nothing were between them, and where they end."""
    return list(accumulate(map(len, pieces), initial=start))


def _word_starts(text: str, start: int, end: int, words: list[str]) -> list[int]:
    """Return where each word would begin if one character less came after each before it."""
    starts = _starts(words, start)
    if not words or starts[-1] + len(words) - 1 == end:
        return starts
    pieces = _SPACED_WORD.findall(text, start, end)
    # White space before the first word is in no piece.
    starts = _starts(pieces, end - sum(map(len, pieces)))
    # A blank is counted after each piece, but after the last one there is none.
    starts[-1] += 1
    return list(map(sub, starts, count()))


def _placed(found: list[Region], at: list[int], to: list[int]) -> Iterator[Region]:
    """Turn regions of pieces into regions of characters, with one between any two pieces."""
    for a, b, c, d in found:
        yield at[a] + a, at[b] + b - (a < b), to[c] + c, to[d] + d - (c < d)


def _by_units(old: str, new: str, words: Region) -> Iterable[Edit]:
    a, b, c, d = words
    before, after = old[a:b], new[c:d]
    # Two words, the most frequent case by far. Other than ASCII may be several units.
    if before.isalpha() and after.isalpha() and before.isascii() and after.isascii():
        return ((a, b, c, d, 1, 1),)
    old_units, new_units = SPACED_UNIT.findall(before), SPACED_UNIT.findall(after)
    removed, added = list(map(str.rstrip, old_units)), list(map(str.rstrip, new_units))
    if set(removed).isdisjoint(added):
        return ((a, b, c, d, len(removed), len(added)),) if removed or added else ()
    at, to = _unit_starts(old_units, b), _unit_starts(new_units, d)
    found = widen_to_expressions(
        differing_regions(removed, added), joined_units(old, at), joined_units(new, to)
    )
    return ((at[a], at[b], to[c], to[d], b - a, d - c) for a, b, c, d in found)


def _unit_starts(units: list[str], end: int) -> list[int]:
    """Return where each unit starts if the last one stops at ``end``, and that end itself."""
    return _starts(units, end - sum(map(len, units)))


def merge_close_edits(old: str, edits: Iterable[Edit]) -> list[Edit]:
    """Merge edits that are too close to each other to be understood one by one."""
    kept: list[Edit] = []
    for edit in edits:
        merged = edit
        while kept and (between := _between(old, kept[-1], merged)) is not None:
            a, _, c, _, went, came = kept.pop()
            _, b, _, d, goes, comes = merged
            merged = a, b, c, d, went + between + goes, came + between + comes
        kept.append(merged)
    return kept


def _between(old: str, first: Edit, second: Edit) -> int | None:
    """Count the units between two edits; None if they are enough to keep the edits apart."""
    _, start, _, _, went, came = first
    end, _, _, _, goes, comes = second
    most = min(max(went, came), max(goes, comes), _ANCHOR)
    # Each word has at least one unit, and splitting is much quicker than counting units.
    if len(old[start:end].split(None, most)) > most:
        return None
    count = len(UNIT.findall(old, start, end))
    return count if count <= most else None


def joined_units(text: str, starts: list[int]) -> frozenset[int]:
    """Return the numbers of the units that are in one expression with the unit before them.

    ``starts`` has where each unit of a part of the text starts, and where the last one
    ends. In ``pay 3.14``, whose units are pay, 3, ., 14, they are 2 and 3.
    """
    joints = (found.start() for found in JOINT.finditer(text, starts[0], starts[-1]))
    return frozenset(bisect_left(starts, place) for at in joints for place in (at, at + 1))


def widen_to_expressions(
    found: list[Region], old: frozenset[int], new: frozenset[int]
) -> list[Region]:
    """Widen regions until none begins or ends within an expression, and merge those that meet.

    Regions are in units; ``old`` and ``new`` are the ``joined_units`` of the two texts.
    A region takes in the same units on both sides.
    """
    if not found or not (old or new):
        return found
    kept: list[Region] = []
    low = 0
    ends = [*(start for start, *_ in found[1:]), found[-1][1] + _MAX_WIDENING]
    for (a, b, c, d), high in zip(found, ends, strict=True):
        left = _inside(zip(range(a, max(low, a - _MAX_WIDENING), -1), count(c, -1)), old, new)
        right = _inside(zip(range(b, min(high, b + _MAX_WIDENING)), count(d)), old, new)
        start, _, to, _ = kept.pop() if kept and a - left == low else (a - left, 0, c - left, 0)
        low = b + right
        kept.append((start, low, to, d + right))
    return kept


def _inside(places: Iterable[tuple[int, int]], old: frozenset[int], new: frozenset[int]) -> int:
    """Count how many units in a row are joined to the one before, on either side."""
    return sum(1 for _ in takewhile(lambda place: place[0] in old or place[1] in new, places))
