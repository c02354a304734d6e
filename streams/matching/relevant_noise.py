"""Which noise of a sentence matters all the same: amounts, and what is next to a keyword."""

import re
from collections.abc import Sequence
from itertools import islice
from unicodedata import category

from streams.matching.phrase_span import Bounds
from streams.matching.sentence_numbers import changed_numbers, overlaps
from streams.text.times import TIMES
from streams.text.tokens import WORD

NEAR = 3
"""Words within which a number belongs to a keyword, or to the name of an amount."""
NEAR_TIME = 6
"""Words within which a date or a time of day belongs to a keyword."""
_WINDOW = 32
"""Characters in which the words next to a number are looked for."""

_UNIT_AFTER = re.compile(r"\s?(?:%|\u2030|percent\b|per cent\b|Prozent\b|EUR\b|USD\b|GBP\b|CHF\b)")
_UNIT_BEFORE = re.compile(r"(?:EUR|USD|GBP|CHF)\s?$")
_AMOUNTS = re.compile(
    r"\b(?:prices?|costs?|fees?|preise?|kosten|prix|coûts?|precios?|coste|euros?|eur|dollars?|usd|"
    r"pounds?|gbp|francs?|franken|chf|yen|jpy|yuan|cny|percent|prozent|versions?|versión|release)\b"
    "|价格|價格|価格|料金|版本|バージョン|元|円",
    re.IGNORECASE,
)
"""Finds the names of prices, shares and versions."""


def matters(
    text: str, changed: Sequence[Bounds], keyword: Sequence[Bounds], *, only_numbers: bool
) -> bool:
    """Whether a number that changed in a text is an amount, or belongs to a keyword in it.

    An amount is a price, a share or a version. A number belongs to a keyword next to it, and so
    does a date or a time of day; ``3 hours ago`` belongs to nothing. A number that is none of
    these matters only if nothing but numbers and form changed: it may be a part of an id.
    """
    return any(
        _number_matters(text, number, keyword, only_numbers)
        for number in changed_numbers(text, changed)
    )


def _number_matters(
    text: str, number: Bounds, keyword: Sequence[Bounds], only_numbers: bool
) -> bool:
    distance = min((_words_between(text, number, each) for each in keyword), default=NEAR_TIME)
    is_amount = only_numbers and _is_amount(text, number)
    # Times are looked for last, as that takes the longest.
    if distance >= NEAR_TIME and not is_amount:
        return False
    time = _time_around(text, number)
    if time is None:
        return is_amount or (only_numbers and distance < NEAR)
    return time["absolute"] is not None and distance < NEAR_TIME


def _time_around(text: str, number: Bounds) -> re.Match[str] | None:
    """Return the date, time of day or age that a number is a part of."""
    low, high = max(0, number[0] - _WINDOW), number[1] + _WINDOW
    found = TIMES.finditer(text, low, high)
    return next((each for each in found if overlaps(each.span(), (number,))), None)


def _is_amount(text: str, number: Bounds) -> bool:
    start, end = number
    before, after = text[max(0, start - 6) : start], text[end : end + 12]
    beside = f"{before.rstrip()[-1:]}{after.lstrip()[:1]}"
    is_currency = any(category(each) == "Sc" for each in beside)
    has_unit = bool(_UNIT_AFTER.match(after) or _UNIT_BEFORE.search(before))
    return is_currency or has_unit or _is_named(text, number)


def _is_named(text: str, number: Bounds) -> bool:
    """Whether a word near a number says that it is an amount."""
    low, high = max(0, number[0] - _WINDOW), number[1] + _WINDOW
    found = _AMOUNTS.finditer(text, low, high)
    return any(_words_between(text, number, each.span()) < NEAR for each in found)


def _words_between(text: str, one: Bounds, other: Bounds) -> int:
    """Count the words between two parts of a text, up to NEAR_TIME."""
    low, high = min(one[1], other[1]), max(one[0], other[0])
    return sum(1 for _ in islice(WORD.finditer(text, low, high), NEAR_TIME)) if low < high else 0
