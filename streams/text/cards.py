"""Cards without a heading: blocks of a few lines next to others like them, with a name."""

import re

from streams.text.units import FIELD

MAX_LINES = 8
"""Lines of a card."""
MAX_NAME = 6
"""Words of its name."""

RECORD_NAME = re.compile(r"(?:[\w-]+\.)*(?:name|title|id)(?:: | - )", re.IGNORECASE)
"""Finds the field that names a record."""

_MAX_LENGTH = 4_000
_EMPTY_LINE = "\n\n"
_LETTER = re.compile(r"[^\W\d_]")


def is_card(before: int, size: int, after: int) -> bool:
    """Whether a block of so many lines is a card: one next to it has as many, but for one.

    >>> is_card(0, 3, 4), is_card(1, 2, 5)
    (True, False)
    """
    is_like = any(each > 1 and abs(each - size) <= 1 for each in (before, after))
    return 1 < size <= MAX_LINES and is_like


def is_name(line: str) -> bool:
    """Whether a line may be the name of a card: a few words, and no field of a record."""
    is_short = line.count(" ") < MAX_NAME
    return is_short and bool(_LETTER.search(line)) and not FIELD.match(line)


def size_before(text: str, start: int) -> int:
    """Count the lines of the block before another one, 0 if there is none."""
    last = start - len(_EMPTY_LINE)
    if last <= 0:
        return 0
    found = text.rfind(_EMPTY_LINE, max(0, last - _MAX_LENGTH), last)
    return text.count("\n", found + len(_EMPTY_LINE) if found >= 0 else 0, last) + 1


def size_after(text: str, end: int) -> int:
    """Count the lines of the block after another one, 0 if there is none."""
    first = end + len(_EMPTY_LINE)
    if first >= len(text):
        return 0
    found = text.find(_EMPTY_LINE, first, first + _MAX_LENGTH)
    return text.count("\n", first, found if found >= 0 else first + _MAX_LENGTH) + 1
