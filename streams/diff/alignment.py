"""Finds where two sequences differ: the longest common subsequence, in bounded time.

A region is ``(a, b, c, d)``: pieces a to b of the old sequence became pieces c to d
of the new one.
"""

from collections import defaultdict
from collections.abc import Sequence
from itertools import count, pairwise

import numpy as np
from rapidfuzz.distance import Indel

Region = tuple[int, int, int, int]

_LAST = 0x10FFFF

# Old pieces times new pieces that are aligned in one go: 50 MB and about 20 ms.
_BUDGET = 400_000_000
# Pieces of a block, on average. Its content decides where it ends, so that equal blocks end
# alike wherever they are in their texts.
_BLOCK = 32


def new_alphabet() -> defaultdict[str, str]:
    """Return what assigns a character to each different piece that is looked up.

    It counts down from the last character, and raises ValueError when there are no more.
    """
    return defaultdict(map(chr, count(_LAST, -1)).__next__)


def fits_budget(old: int, new: int) -> bool:
    """Whether so many pieces can be aligned in one go."""
    return old * new <= _BUDGET


def differing_regions(old: Sequence[str], new: Sequence[str]) -> list[Region]:
    """Return the regions that differ, in order.

    Within the budget, no shorter list of changes leads from one sequence to the other
    (pieces are equal when their 64-bit hashes are). Beyond it, blocks are compared
    first, then the pieces of those that differ; what is too large even then is one
    region::

        differing_regions("a b c".split(), "a x c".split())  # [(1, 2, 1, 2)]
    """
    if fits_budget(len(old), len(new)):
        return _aligned(old, new)
    coded = _encoded(old, new)
    return [(0, len(old), 0, len(new))] if coded is None else _coarsely(*coded)


def _aligned(old: Sequence[str], new: Sequence[str]) -> list[Region]:
    found: list[Region] = []
    a = c = 0
    for same in Indel.editops(old, new).as_matching_blocks():
        b, d = same.a, same.b
        if a < b or c < d:
            found.append((a, b, c, d))
        a, c = b + same.size, d + same.size
    return found


def _encoded(old: Sequence[str], new: Sequence[str]) -> tuple[str, str] | None:
    """Encode two sequences with one character a piece; None if there are too many pieces."""
    character = new_alphabet().__getitem__
    try:
        return "".join(map(character, old)), "".join(map(character, new))
    except ValueError:
        return None


def _coarsely(old: str, new: str) -> list[Region]:
    """Compare by blocks first if the budget demands it, then the pieces in what differs."""
    if fits_budget(len(old), len(new)):
        return _aligned(old, new)
    whole = (0, len(old), 0, len(new))
    coarse = _by_blocks(old, new)
    if coarse == [whole]:
        return coarse
    return [
        (a + e, a + f, c + g, c + h)
        for a, b, c, d in coarse
        for e, f, g, h in _coarsely(old[a:b], new[c:d])
    ]


def _by_blocks(old: str, new: str) -> list[Region]:
    ends_old, ends_new = _block_ends(old), _block_ends(new)
    coded = _encoded(_slices(old, ends_old), _slices(new, ends_new))
    if coded is None or max(map(len, coded)) * 2 > max(len(old), len(new)):
        return [(0, len(old), 0, len(new))]
    return [
        (ends_old[a], ends_old[b], ends_new[c], ends_new[d]) for a, b, c, d in _coarsely(*coded)
    ]


def _block_ends(text: str) -> list[int]:
    pieces = np.frombuffer(text[:-1].encode("utf-32-le", "surrogatepass"), np.uint32)
    inner = np.flatnonzero(pieces % _BLOCK == _BLOCK - 1) + 1
    return [0, *inner.tolist(), len(text)]


def _slices(text: str, ends: list[int]) -> list[str]:
    return [text[a:b] for a, b in pairwise(ends)]
