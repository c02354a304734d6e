"""A change within an expression, as ``99.95`` or ``node.js``, is one of all of it.

A keyword such as ``99.95`` is a phrase, and asks for all of its words in one passage.
"""

from bisect import bisect_left
from collections.abc import Iterable
from itertools import count, takewhile

from streams.core.diff.alignment import Region
from streams.core.text.tokens import JOINT

# Units by which a region is widened on each side, so that a long chain makes no large one.
_REACH = 16


def joined_units(text: str, starts: list[int]) -> frozenset[int]:
    """Tell which units belong to one expression with the unit before them.

    ``starts`` is where each unit of a part of the text starts, and where the last one ends.
    """
    joints = (found.start() for found in JOINT.finditer(text, starts[0], starts[-1]))
    return frozenset(bisect_left(starts, place) for at in joints for place in (at, at + 1))


def widen_to_expressions(
    found: list[Region], old: frozenset[int], new: frozenset[int]
) -> list[Region]:
    """Widen regions until they begin and end within no expression; those that meet are one.

    Regions are in units, ``old`` and ``new`` what ``joined`` gives of the two texts. What a
    region takes in is the same on both sides.
    """
    return _widened(found, old, new) if found and (old or new) else found


def _widened(found: list[Region], old: frozenset[int], new: frozenset[int]) -> list[Region]:
    kept: list[Region] = []
    low = 0
    ends = [*(start for start, *_ in found[1:]), found[-1][1] + _REACH]
    for (a, b, c, d), high in zip(found, ends, strict=True):
        left = _inside(zip(range(a, max(low, a - _REACH), -1), count(c, -1)), old, new)
        right = _inside(zip(range(b, min(high, b + _REACH)), count(d)), old, new)
        start, _, to, _ = kept.pop() if kept and a - left == low else (a - left, 0, c - left, 0)
        low = b + right
        kept.append((start, low, to, d + right))
    return kept


def _inside(places: Iterable[tuple[int, int]], old: frozenset[int], new: frozenset[int]) -> int:
    """Count how many places in a row are within an expression of either side."""
    return sum(1 for _ in takewhile(lambda place: place[0] in old or place[1] in new, places))
