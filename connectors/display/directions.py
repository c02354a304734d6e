"""Directions of text: an arrow points from what was to what is, however both are written.

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
    """Return the direction of a paragraph: that of its first letter, as with ``dir="auto"``.

    >>> direction("1. שלום"), direction("99 %")
    ('rtl', 'ltr')
    """
    kinds = map(unicodedata.bidirectional, text)
    return next((_STRONG[kind] for kind in kinds if kind in _STRONG), "ltr")


def arrow(before: str, after: str, base: Direction) -> str:
    """Return the arrow that points from one text to the next in a paragraph of a direction.

    Between texts of one direction it has theirs, else that of the paragraph; a number has the
    direction of the letters before it.

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
    """Return a line of plain text so that what stands before it changes no direction in it."""
    return f"{_ISOLATE}{line}{_END}" if direction(line) == "rtl" else line
