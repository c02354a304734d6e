"""Patterns written by strangers, on an engine of linear time."""

from collections.abc import Iterable
from functools import cache
from typing import Any

import re2

MAX_PROGRAM = 2_000
"""Instructions of a pattern; each of them may run for each character."""
_MEMORY = 2**20


def pattern_fault(text: str) -> str | None:
    """Return the fault of a text as a pattern, None if usable.

    >>> pattern_fault("(?=views)")
    'it is no regular expression of RE2: invalid perl operator: (?='
    """
    try:
        size = _compiled(text).programsize
    except (re2.error, UnicodeEncodeError) as error:
        reason = error.args[0] if isinstance(error, re2.error) else str(error)
        shown = reason.decode("utf-8", "replace") if isinstance(reason, bytes) else reason
        return f"it is no regular expression of RE2: {shown}"
    if size > MAX_PROGRAM:
        return f"it is too large: at most {MAX_PROGRAM:,} steps are allowed, not {size:,}"
    return None


def matched_spans(text: str, patterns: Iterable[str]) -> list[tuple[int, int]]:
    r"""Return where patterns match in a text; ^ and $ are the ends of a line.

    >>> matched_spans("Zeus\n12 views", [r"^\d+ views$"])
    [(5, 13)]
    """
    data = text.encode()
    spans = [
        found.span()
        for pattern in patterns
        for found in _compiled(pattern).finditer(data)
        if found.end() > found.start()
    ]
    if text.isascii():
        return spans
    byte = character = 0
    characters = {}  # the character at each byte where a span begins or ends
    for edge in sorted({edge for span in spans for edge in span}):
        character += len(data[byte:edge].decode())
        byte, characters[edge] = edge, character
    return [(characters[start], characters[end]) for start, end in spans]


@cache
def _options() -> Any:
    options = re2.Options()
    options.max_mem = _MEMORY
    options.log_errors = False
    return options


def _compiled(pattern: str) -> Any:
    re2.compile(pattern.encode(), options=_options())  # by itself: with a prefix ")(" is no fault
    return re2.compile(b"(?m)" + pattern.encode(), options=_options())
