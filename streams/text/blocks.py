"""Blocks of a text: runs of lines with no empty line between them."""

import re

MAX_BLOCK = 2_000
"""Characters of a block; of a longer one, the lines in question alone count."""

_EMPTY_LINE = re.compile(r"\n[^\S\n]*\n")


def block_around(text: str, start: int, end: int) -> tuple[int, int]:
    """Return start and end of the block around some characters of a text."""
    low, high = max(0, start - MAX_BLOCK), min(len(text), end + MAX_BLOCK)
    first = max((gap.end() for gap in _EMPTY_LINE.finditer(text, low, start)), default=low)
    after = _EMPTY_LINE.search(text, end, high)
    last = after.start() if after else high
    if last - first <= MAX_BLOCK:
        return first, last
    line = text.find("\n", end)
    return text.rfind("\n", 0, start) + 1, len(text) if line < 0 else line
