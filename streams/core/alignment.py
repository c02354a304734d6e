"""Which units of two sequences differ: longest common subsequence, then clean-up.

A sequence is a string with one character for each unit (of which there are at most
``MAX_DISTINCT`` different ones). A region is ``(a, b, c, d)``: units a to b of the
old sequence became units c to d of the new one.
"""

from collections.abc import Iterable, Iterator, Sequence
from itertools import pairwise

from diff_match_patch import diff_match_patch
from rapidfuzz.distance import Indel

Region = tuple[int, int, int, int]

_LAST = 0x10FFFF
MAX_DISTINCT = 0x100000

# Old units times new units that are aligned in one go: 50 MB, some 20 ms.
_BUDGET = 400_000_000
# A coarser unit is about this many units; where it ends is decided by what is in it.
_BLOCK = 32
# An equality of more units than this stays whatever stands around it.
_ANCHOR = 64
# Units of a group of regions up to which it is cleaned up, as that may take their square.
_MAX_GROUP = 20_000

_CLEANER = diff_match_patch()


class _Alphabet(dict[str, str]):
    """Gives each different unit a character of its own.

    They are counted down from the last one: private use first, which clean-up takes
    for neither letters nor white space, and no surrogates.
    """

    def __missing__(self, unit: str) -> str:
        if len(self) >= MAX_DISTINCT:
            raise OverflowError
        character = self[unit] = chr(_LAST - len(self))
        return character


def encode(old: Sequence[str], new: Sequence[str]) -> tuple[str, str] | None:
    """Write two sequences of units with one character a unit; None if they are too many."""
    alphabet = _Alphabet()
    try:
        return "".join(map(alphabet.__getitem__, old)), "".join(map(alphabet.__getitem__, new))
    except OverflowError:
        return None


def regions(old: str, new: str) -> list[Region]:
    """Give the regions that differ, in order, after semantic clean-up."""
    return [region for group in _groups(_changed(old, new)) for region in _cleaned(old, new, group)]


def _changed(old: str, new: str) -> list[Region]:
    """Compare within the budget; beyond it by blocks first, and units in what they leave."""
    whole = (0, len(old), 0, len(new))
    if len(old) * len(new) <= _BUDGET:
        return _compared(old, new)
    coarse = _by_blocks(old, new)
    return coarse if coarse == [whole] else list(_refined(old, new, coarse))


def _compared(old: str, new: str) -> list[Region]:
    """Merge what is deleted and inserted in one place."""
    found: list[Region] = []
    for code in Indel.opcodes(old, new):
        if code.tag == "equal":
            continue
        a, c = code.src_start, code.dest_start
        if found and (found[-1][1], found[-1][3]) == (a, c):
            a, _, c, _ = found.pop()
        found.append((a, code.src_end, c, code.dest_end))
    return found


def _refined(old: str, new: str, coarse: Iterable[Region]) -> Iterator[Region]:
    for a, b, c, d in coarse:
        for e, f, g, h in _changed(old[a:b], new[c:d]):
            yield a + e, a + f, c + g, c + h


def _by_blocks(old: str, new: str) -> list[Region]:
    ends_old, ends_new = _block_ends(old), _block_ends(new)
    coded = encode(_slices(old, ends_old), _slices(new, ends_new))
    if coded is None or max(map(len, coded)) * 2 > max(len(old), len(new)):
        return [(0, len(old), 0, len(new))]
    return [(ends_old[a], ends_old[b], ends_new[c], ends_new[d]) for a, b, c, d in _changed(*coded)]


def _block_ends(text: str) -> list[int]:
    inner = (at for at, unit in enumerate(text[:-1], 1) if ord(unit) % _BLOCK == _BLOCK - 1)
    return [0, *inner, len(text)]


def _slices(text: str, ends: list[int]) -> list[str]:
    return [text[a:b] for a, b in pairwise(ends)]


def _groups(found: Iterable[Region]) -> Iterator[list[Region]]:
    """Split regions at the equalities that no clean-up may remove."""
    group: list[Region] = []
    for region in found:
        if group and region[0] - group[-1][1] > _ANCHOR:
            yield group
            group = []
        group.append(region)
    if group:
        yield group


def _cleaned(old: str, new: str, group: list[Region]) -> list[Region]:
    """Drop the equalities that are too small to mean anything between their edits."""
    (a, _, c, _), (_, b, _, d) = group[0], group[-1]
    if len(group) == 1 or max(b - a, d - c) > _MAX_GROUP:
        return group
    diffs = list(_diffs(old, new, group))
    _CLEANER.diff_cleanupSemantic(diffs)
    return list(_regions(diffs, a, c))


def _diffs(old: str, new: str, group: list[Region]) -> Iterator[tuple[int, str]]:
    end = group[0][0]
    for a, b, c, d in group:
        pieces = ((0, old[end:a]), (-1, old[a:b]), (1, new[c:d]))
        yield from (piece for piece in pieces if piece[1])
        end = b


def _regions(diffs: Iterable[tuple[int, str]], a: int, c: int) -> Iterator[Region]:
    b, d = a, c
    for operation, units in diffs:
        if operation == 0:
            if (a, c) != (b, d):
                yield a, b, c, d
            a, c = b, d = b + len(units), d + len(units)
        elif operation < 0:
            b += len(units)
        else:
            d += len(units)
    if (a, c) != (b, d):
        yield a, b, c, d
