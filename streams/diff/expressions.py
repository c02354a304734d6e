"""Widens edits within an expression, such as ``99.95`` or ``node.js``, to all of it.

The keyword ``99.95`` is a phrase: it is found only if one passage has all of its words.
"""

from bisect import bisect_left
from collections.abc import Iterable
from itertools import count, takewhile

from streams.diff.alignment import Region
from streams.text.tokens import JOINT

# Units by which a region is widened on each side at most, for long chains of expressions.
_MAX_WIDENING = 16


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
    return _widened(found, old, new) if found and (old or new) else found


def _widened(found: list[Region], old: frozenset[int], new: frozenset[int]) -> list[Region]:
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
