"""The JSON-LD of a page, with the faults forgiven by search engines."""

import json
import re
from collections.abc import Iterator
from decimal import Decimal
from html import unescape
from typing import Any

from selectolax.lexbor import LexborNode

from schemas.records.numbers import MAX_DIGITS

MAX_SCRIPTS, MAX_SCRIPT = 50, 1_000_000
"""The most scripts of a page to read, and characters of each."""
_SCRIPTS = "script[type*='ld+json' i]"
_BEFORE = re.compile(r"(?:[\s,;\ufeff]|<!--|-->|//|/\*|\*/|<!\[CDATA\[|\]\]>)*+")
"""Marks of HTML and XML around JSON, and separators of several documents."""
_NO_JSON = re.compile(
    r'("(?:[^"\\]|\\.)*+(?:"|\Z))'
    r"|'((?:[^'\\]|\\.|'(?!\s*+[,:}\]]))*+)(?:'|\Z)"
    r"|/\*.*?(?:\*/|\Z)|//[^\n]*|,(?=\s*+[,}\]])"
    r"|(:\s*+)(?=[,}\]])|(?<![\w.])0++(?=\d)",
    re.DOTALL,
)
"""A text, in double or single quotes, a comment, a comma or zeros too many, or a missing value."""
_QUOTE = re.compile(r'(\\\\)|\\?"')
_ESCAPE = re.compile(r"\\([\"\\/bfnrtu]?)")


def json_ld_of(root: LexborNode) -> Iterator[Any]:
    """Yield the values of JSON-LD in the scripts of a page; invalid JSON is left out."""
    for node in root.css(_SCRIPTS)[:MAX_SCRIPTS]:
        text = node.text()
        if len(text) <= MAX_SCRIPT:
            found, is_whole = _parsed(text)
            yield from found if is_whole else _parsed(_forgiven(text))[0]


def _forgiven(text: str) -> str:
    r"""Return JSON without its faults.

    >>> _forgiven('{"name": "Anna\'s",, "sku": ,}')
    '{"name": "Anna\'s", "sku": null}'
    >>> _forgiven("{'name': 'Anna's 5\" pan'}")
    '{"name": "Anna\'s 5\\" pan"}'
    """
    if '"' not in text:
        text = unescape(text)

    def written(found: re.Match[str]) -> str:
        if found[1]:
            return _without_unknown_escapes(found[1])
        if found[2] is not None:
            text = _without_unknown_escapes(found[2])
            return '"' + _QUOTE.sub(lambda each: each[1] or '\\"', text) + '"'
        return f"{found[3]}null" if found[3] else ""

    return _NO_JSON.sub(written, text)


def _without_unknown_escapes(text: str) -> str:
    return _ESCAPE.sub(lambda each: each[0] if each[1] else "", text)


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
