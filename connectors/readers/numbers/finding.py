"""Find the numbers of a text, each with its sign and its unit."""

import re
from collections.abc import Iterator
from decimal import Decimal
from itertools import islice
from typing import NamedTuple

from connectors.readers.numbers.digits import RUN, amount_of
from connectors.readers.numbers.locales import Locale
from connectors.readers.numbers.units import AFTER, BEFORE, unit_of

MAX_TEXT = 100_000
"""Characters of a text in which numbers are looked for."""
MAX_NUMBERS = 1_000
_AROUND = 8
"""Characters around a number in which its unit is."""
_SIGN = re.compile(r"(?:^|[\s(:])([-\u2212])$")
_GLUED_BEFORE = re.compile(r"[\w.,/:#]$")
_RANGE = re.compile(rf" ?[-\u2013\u2014] ?(?:{RUN.pattern})")
_GLUED_AFTER = re.compile(r"[^\W\d_]+|[/:]\d")


class FoundNumber(NamedTuple):
    """A number of a text, as it is ``written`` there, and what of it is in doubt.

    ``suffix`` are letters that follow it without a blank.
    """

    value: Decimal
    unit: str
    written: str
    doubts: tuple[str, ...]
    suffix: str


def found_numbers(text: str, locale: Locale, currency: str) -> Iterator[FoundNumber]:
    """Yield the numbers of a text in their order; ``currency`` is the one that a person chose.

    >>> found = found_numbers("was $20 now $15, A4", Locale("", "", False), "")
    >>> [str(each.value) for each in found]
    ['20', '15']
    """
    runs = RUN.finditer(text, 0, MAX_TEXT)
    every = (_found(text, run.start(), run[0], locale, currency) for run in runs)
    several = (each for found in every for each in found)
    return islice(several, MAX_NUMBERS)


def _found(text: str, start: int, run: str, locale: Locale, currency: str) -> Iterator[FoundNumber]:
    if " " in run and not locale.may_have_blanks:
        at = start
        for each in run.split(" "):
            yield from _found(text, at, each, locale, currency)
            at += len(each) + 1
        return
    end = start + len(run)
    before, after = text[max(0, start - _AROUND) : start], text[end : end + _AROUND]
    ahead, own = BEFORE.search(before), AFTER.match(after)
    behind = own
    if own is None and (other := _RANGE.match(text, end)) is not None:
        behind = AFTER.match(text, other.end())  # a range: 10-20 €
    unit, doubt = unit_of(ahead, locale, currency)
    has_unit = bool(unit)
    if has_unit and ahead is not None:
        before = before[: ahead.start()]
    if not has_unit:
        unit, doubt = unit_of(behind, locale, currency)
    suffix = "" if unit and not has_unit else _suffix(after)
    if suffix[:1] in ("/", ":") or (not has_unit and _GLUED_BEFORE.search(before)):
        return  # a part of a word, a date, a time
    amount = amount_of(run, locale, unit)
    if amount is None:
        return
    sign = _SIGN.search(before) or (_SIGN.search(text[max(0, start - 2) : start]))
    written = _written(text, start - (len(ahead[0]) if has_unit and ahead else 0), end, own)
    doubts = tuple(filter(None, (amount.doubt, doubt)))
    value = amount.value.copy_negate() if sign else amount.value  # exact, as -value is not
    yield FoundNumber(value, unit, f"{'-' if sign else ''}{written}", doubts, suffix)


def _suffix(after: str) -> str:
    found = _GLUED_AFTER.match(after)
    return found[0] if found else ""


def _written(text: str, start: int, end: int, behind: "re.Match[str] | None") -> str:
    return text[start : end + (len(behind[0]) if behind else 0)].strip()
