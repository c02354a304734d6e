"""Find the numbers of a text, each with its sign and its unit."""

import re
from collections.abc import Iterator
from decimal import Decimal
from itertools import islice
from typing import NamedTuple

from connectors.readers.marks import CENTS
from connectors.readers.numbers.digits import BLANKS, RUN, amount_of
from connectors.readers.numbers.locales import Locale
from connectors.readers.numbers.units import (
    AFTER,
    CENT,
    QUETZAL,
    RAND,
    is_rate,
    refined,
    unit_before,
    unit_of,
    with_cents_before_unit,
)

MAX_TEXT = 100_000
"""Characters of a text in which numbers are looked for."""
MAX_NUMBERS = 1_000
_AROUND = 20
"""Characters around a number in which its unit is."""
_MINUS = ("-", "\u2212")
_SIGN = re.compile(r"(?:^|[\s(:])([-\u2212])\Z")
_ALONE = re.compile(r"(?:\A|[\n\t:;(|\u2013\u2014\u2212-]) ?\Z")
"""Found before a number after no word and no other number."""
_GLUED_BEFORE = re.compile(r"[\w.,/:#]\Z")
_RANGE = re.compile(rf" ?[-\u2013\u2014] ?(?:{RUN.pattern})")
_BEGUN = re.compile(r"[.,]\d\d\Z")
_OTHERS = re.compile(r"\d ?\Z")
"""Found before the unit of another number."""
_PRICE = re.compile(r"[ ,]\d{3}|[.,]\d\d\Z")
_WORD = re.compile(r" ?[^\W\d_]")
_WHOLE_BEFORE = re.compile(r"(?<![\d.,])\d+[ \n]\Z")
_CENTS_BEHIND = re.compile(r"[ \n]\d\d(?![\w.,%])")
_GLUED_AFTER = re.compile(r"[^\W\d_]+|[/:]\d")


class FoundNumber(NamedTuple):
    """A number of a text, as ``written`` there, with its doubts.

    ``suffix`` are letters after the number without a blank; ``is_rate`` is set for the price of a
    kilogram or the like.
    """

    value: Decimal
    unit: str
    written: str
    doubts: tuple[str, ...]
    suffix: str
    is_rate: bool


def found_numbers(text: str, locale: Locale, currency: str) -> Iterator[FoundNumber]:
    """Yield the numbers of a text in their order; ``currency`` is the chosen currency.

    >>> found = found_numbers("was $20 now $15, A4", Locale("", "", False), "")
    >>> [str(each.value) for each in found]
    ['20', '15']
    """
    # In NFKC an accent as apostrophe has a blank.
    text = with_cents_before_unit(text[:MAX_TEXT].replace(" \u0301", "'"))
    runs = RUN.finditer(text)
    every = (_found(text, run.start(), run[0], locale, currency) for run in runs)
    several = (each for found in every for each in found)
    return islice(several, MAX_NUMBERS)


def _found(text: str, start: int, run: str, locale: Locale, currency: str) -> Iterator[FoundNumber]:
    grouping = _grouping(text, start, run, locale) if BLANKS.search(run) else ""
    if grouping is not None:
        yield from _one(text, start, run, locale, currency, grouping)
        return
    for each in run.split(" "):
        yield from _one(text, start, each, locale, currency)
        start += len(each) + 1


def _one(
    text: str, start: int, run: str, locale: Locale, currency: str, grouping: str = ""
) -> Iterator[FoundNumber]:
    end = start + len(run)
    before, after = text[max(0, start - _AROUND) : start], text[end : end + _AROUND]
    ahead, behind = unit_before(before), AFTER.match(after)
    if ahead and ahead[0].strip() in (RAND, QUETZAL) and not _PRICE.search(run):
        ahead = None  # the model R 12, the third quarter Q3
    if ahead and behind and _OTHERS.search(before[: ahead.start()]):
        ahead = None
    unit, doubt = unit_of(ahead, locale, currency)
    if ahead is not None:
        before, unit, start = before[: ahead.start()], refined(unit, behind), start - len(ahead[0])
    else:
        unit, doubt = unit_of(behind or _behind_range(text, end), locale, currency)
        if _GLUED_BEFORE.search(before) or (not unit and run[0] in ".,"):
            return  # a part of a word
    if behind is not None:
        end, after = end + behind.end(), after[behind.end() :]
    glued = None if behind else _GLUED_AFTER.match(after)
    suffix = glued[0] if glued else ""
    if suffix[:1] in ("/", ":"):
        return  # a date, a time
    amount = amount_of(run, locale, unit)
    if amount is None:
        return
    # In -,99 the dash stands for no units.
    is_signed = run[0] != "," and any(map(_has_minus, (before, text[max(0, start - 2) : start])))
    doubts = tuple(filter(None, (amount.doubt, doubt, grouping, _split(before, run, after))))
    is_in_cents = ahead is None and behind is not None and behind[2] == CENT
    value = amount.value.scaleb(-2) if is_in_cents else amount.value
    value = value.copy_negate() if is_signed else value  # exact, as -value is not
    written = f"{'-' if is_signed else ''}{_written(text[start:end])}"
    yield FoundNumber(value, unit, written, doubts, suffix, is_rate(before, after))


def _has_minus(before: str) -> bool:
    return before.endswith(_MINUS) and _SIGN.search(before) is not None


def _grouping(text: str, start: int, run: str, locale: Locale) -> str | None:
    """Return the doubts about the blanks in a number, None if they are between numbers."""
    if locale.has_blanks or run.count(" ") > 1 or (locale.is_chosen and locale.may_have_blanks):
        return ""
    before = text[max(0, start - _AROUND) : start]
    after = text[start + len(run) :][:_AROUND]
    ahead, behind = unit_before(before), AFTER.match(after)
    is_alone = _ALONE.search(before[: ahead.start()] if ahead else before) is not None
    is_priced = behind is not None or (ahead is not None and not _WORD.match(after))
    if not locale.may_have_blanks and (locale.is_chosen or not (ahead or behind or is_alone)):
        return None
    is_sure = is_alone and (is_priced or locale.may_have_blanks)
    return "" if is_sure else f"{run} is read as one number; it may be two (view.number.locale)"


def _split(before: str, run: str, after: str) -> str:
    """Return the doubts about a number next to another, perhaps its cents."""
    cents = _CENTS_BEHIND.match(after) if run.isdecimal() else None
    is_last = cents is not None and AFTER.match(after, cents.end()) is None
    if is_last or (len(run) == 2 and _WHOLE_BEFORE.search(before)):
        return f"{run} is read by itself; it may go with the number next to it (view.select)"
    return ""


def _behind_range(text: str, end: int) -> "re.Match[str] | None":
    """Return the unit after the other end of a range: 10-20 €."""
    other = _RANGE.match(text, end)
    return AFTER.match(text, other.end()) if other else None


def _written(part: str) -> str:
    """Return a number as in the page, with a sign before its cents."""
    whole, sure, rest = part.partition(CENTS)
    if sure and not _BEGUN.search(whole):
        whole = whole.rstrip() + ("," if "." in whole else ".")
    return (whole + rest.lstrip()).strip() if sure else part.strip()
