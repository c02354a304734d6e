"""Whether a quote would still find its passage after a change."""

import json
import re
from collections.abc import Iterator
from dataclasses import replace

from connectors.readers.parts import Span
from connectors.readers.quotes import found_quote
from schemas.records.views import MAX_CONTEXT, Quote

_CONTEXTS = (30, 80, MAX_CONTEXT)
"""The sizes of contexts to try, in characters before and after a quote."""
_DIGITS = str.maketrans("0123456789", "1234567890")
_NUMBER = re.compile(r"[0-9]+")
_WORD = re.compile(r"\w+")
_SPACE = re.compile(r"\s")


def quote_doubt(text: str, quote: Quote) -> str:
    """Return why a quote may lose its passage, with a context for the quote; empty without doubt.

    The test changes the numbers of the passage, or its longest word without a number.

    >>> quote_doubt("Tea: 4 €. Rum: 5 €.", Quote("4 €"))
    'after a change of it nothing is found: add "prefix": "Tea: ", "suffix": ". Rum: 5 €."'
    """
    found = found_quote(text, quote)
    doubt = "" if found is None else _doubt(text, quote, found.span)
    if found is None or not doubt:
        return doubt
    several = _in_context(text, quote, found.span)
    chosen = next((each for each in several if not _doubt(text, each, found.span)), None)
    if chosen is None:
        return doubt
    prefix, suffix = (
        json.dumps(each, ensure_ascii=False) for each in (chosen.prefix, chosen.suffix)
    )
    return f'{doubt}: add "prefix": {prefix}, "suffix": {suffix}'


def _doubt(text: str, quote: Quote, span: Span) -> str:
    start, end = span
    changed = _changed(text[start:end])
    later = found_quote(text[:start] + changed + text[end:], quote)
    if later is None:
        return "after a change of it nothing is found"
    begin, stop = later.span
    is_there = begin < start + len(changed) and start < stop
    return "" if is_there else "after a change of it another passage is found"


def _changed(passage: str) -> str:
    changed = _NUMBER.sub(lambda number: "1" + number[0].translate(_DIGITS), passage)
    if changed != passage:
        return changed
    longest = max(_WORD.findall(passage), key=len, default=passage)
    return passage.replace(longest, "x" * len(longest), 1)


def _in_context(text: str, quote: Quote, span: Span) -> Iterator[Quote]:
    start, end = span
    for length in _CONTEXTS:
        prefix = _whole_words(text[max(0, start - length) : start][::-1], length)[::-1]
        yield replace(quote, prefix=prefix, suffix=_whole_words(text[end : end + length], length))


def _whole_words(context: str, length: int) -> str:
    """Return a context, which begins at the passage, without a half word."""
    spaced = _SPACE.sub(" ", context)
    return spaced if len(context) < length else spaced.rpartition(" ")[0]
