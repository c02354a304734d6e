"""What differs between two snapshots of a document, by words."""

import re
from itertools import accumulate

from schemas.facts import Hunk, Passage
from streams.core.alignment import encode, regions
from streams.core.tokens import SPACED_UNIT

_TO_LAST_SPACE = re.compile(r"(?:.*\s)?", re.DOTALL)

CONTEXT = 200
"""Characters of context on each side of a passage."""


def hunks(old: str, new: str) -> tuple[Hunk, ...]:
    """Compare two snapshots and give what changed, in document order.

    Units are whole words and single other characters (``tokens``), so no passage
    cuts a word; white space alone is no change. ``text`` is an exact slice of its
    snapshot, which the reader has brought into NFKC. Texts too large to be aligned
    within bounded time give fewer and larger hunks.
    """
    if old == new:
        return ()
    first, last = _common(old, new)
    before, after = _Units(old, first, last), _Units(new, first, last)
    coded = encode(before.units, after.units)
    whole = (0, len(before.units), 0, len(after.units))
    found = [whole] if coded is None else regions(*coded)
    return tuple(Hunk(before.passage(a, b), after.passage(c, d)) for a, b, c, d in found)


class _Units:
    """The units of a text but for the characters trimmed from its ends."""

    def __init__(self, text: str, first: int, last: int) -> None:
        self._text = text
        end = len(text) - last
        pieces = SPACED_UNIT.findall(text, first, end)
        self.units = list(map(str.rstrip, pieces))
        # White space before the first unit is in no piece.
        start = end - sum(map(len, pieces))
        self._starts = list(accumulate(map(len, pieces), initial=start))

    def passage(self, a: int, b: int) -> Passage | None:
        """Cut out the units from a to b, None if there are none."""
        if a == b:
            return None
        start = self._starts[a]
        end = self._starts[b - 1] + len(self.units[b - 1])
        before = self._text[max(0, start - CONTEXT) : start]
        return Passage(self._text[start:end], start, before, self._text[end : end + CONTEXT])


def _common(old: str, new: str) -> tuple[int, int]:
    """Give how many characters at the start and at the end need no comparison.

    White space stands at the inner end of both, so that no unit is cut.
    """
    first = _to_last_space(_prefix(old, new))
    return first, _to_last_space(_prefix(old[first:][::-1], new[first:][::-1]))


def _to_last_space(text: str) -> int:
    return next(_TO_LAST_SPACE.finditer(text)).end()


def _prefix(old: str, new: str) -> str:
    """Give what two texts have in common at their start, by halving."""
    low, high = 0, min(len(old), len(new))
    while low < high:
        middle = (low + high + 1) // 2
        if old[low:middle] == new[low:middle]:
            low = middle
        else:
            high = middle - 1
    return old[:low]
