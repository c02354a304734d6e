"""Directions of text: an arrow points from the former to the present text, in any script.

Browsers and mail programs order text by Unicode Standard Annex 9, which turns no arrow around.
"""

import unicodedata
from typing import Literal

Direction = Literal["ltr", "rtl"]

_STRONG: dict[str, Direction] = {"L": "ltr", "R": "rtl", "AL": "rtl"}
_SIDES: dict[str, Direction] = {**_STRONG, "AN": "rtl"}
_NUMBER = "EN"
_ISOLATE, _END = "\u2068", "\u2069"


def direction(text: str) -> Direction:
    """Return the direction of a paragraph: its first letter's, as with ``dir="auto"``.

    >>> direction("1. שלום"), direction("99 %")
    ('rtl', 'ltr')
    """
    kinds = map(unicodedata.bidirectional, text)
    return next((_STRONG[kind] for kind in kinds if kind in _STRONG), "ltr")


def arrow(before: str, after: str, base: Direction) -> str:
    """Return the arrow from a text to the next in a paragraph of a direction.

    Between texts of the same direction the arrow has theirs, else the paragraph's; a number has the
    direction of the letters before.

    >>> arrow("X1", "X2", "rtl"), arrow("שלום 1", "2", "ltr")
    ('→', '←')
    """
    kinds = map(unicodedata.bidirectional, reversed(before))
    left = next((_SIDES[kind] for kind in kinds if kind in _SIDES), base)
    kinds = map(unicodedata.bidirectional, after)
    first = next((kind for kind in kinds if kind in _SIDES or kind == _NUMBER), "")
    right = left if first == _NUMBER else _SIDES.get(first, base)
    return "←" if (left if left == right else base) == "rtl" else "→"


def isolated(line: str) -> str:
    """Return a line of plain text whose direction is independent of the text before."""
    return f"{_ISOLATE}{line}{_END}" if direction(line) == "rtl" else line
