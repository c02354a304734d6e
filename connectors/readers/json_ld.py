"""The JSON-LD of a page, with the faults forgiven by search engines."""

import json
import re
from collections.abc import Iterator
from decimal import Decimal
from typing import Any

from selectolax.lexbor import LexborNode

from schemas.records.numbers import MAX_DIGITS

MAX_SCRIPTS, MAX_SCRIPT = 50, 1_000_000
"""The most scripts of a page to read, and characters of each."""
_SCRIPTS = "script[type*='ld+json' i]"
_BEFORE = re.compile(r"(?:[\s,;]|<!--|-->|//|/\*|\*/|<!\[CDATA\[|\]\]>)*+")
"""Marks of HTML and XML around JSON, and separators of several documents."""
_NO_JSON = re.compile(
    r'("(?:[^"\\]|\\.)*+(?:"|\Z))|/\*.*?(?:\*/|\Z)|//[^\n]*|,(?=\s*+[}\]])', re.DOTALL
)
"""A text, which stays, or a comment or a comma too many."""


def json_ld_of(root: LexborNode) -> Iterator[Any]:
    """Yield the values of JSON-LD in the scripts of a page; invalid JSON is left out."""
    for node in root.css(_SCRIPTS)[:MAX_SCRIPTS]:
        text = node.text()
        if len(text) <= MAX_SCRIPT:
            found, is_whole = _parsed(text)
            yield from found if is_whole else _parsed(_NO_JSON.sub(r"\1", text))[0]


def _parsed(text: str) -> tuple[list[Any], bool]:
    """Return the values at the beginning of a text, and whether nothing follows them."""
    decoder = json.JSONDecoder(parse_float=_plain, parse_int=str, strict=False)
    found: list[Any] = []
    at = _end(text, 0)
    while at < len(text):
        try:
            value, end = decoder.raw_decode(text, at)
        except (ValueError, RecursionError):
            return found, False
        found.append(value)
        at = _end(text, end)
    return found, True


def _end(text: str, at: int) -> int:
    found = _BEFORE.match(text, at)
    return found.end() if found else at


def _plain(number: str) -> str:
    """Return a number of JSON without an exponent, unless the number is beyond the limits.

    >>> _plain("1.25E7"), _plain("12.50"), _plain("1e999999")
    ('12500000', '12.50', '')
    """
    if "e" not in number.lower():
        return number
    try:
        value = Decimal(number)
    except ArithmeticError:
        return ""
    return format(value, "f") if abs(value.adjusted()) <= MAX_DIGITS else ""
