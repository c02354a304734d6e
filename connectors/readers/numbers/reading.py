"""Read the number of a view."""

from collections.abc import Sequence
from decimal import Decimal
from itertools import pairwise

from connectors.readers.errors import NothingSelected
from connectors.readers.numbers.finding import FoundNumber, found_numbers
from connectors.readers.numbers.locales import locale_of
from schemas.records.numbers import PERCENT, NumberOptions, NumberReading

MAX_WRITTEN = 60
"""The most characters of a written number."""
_MAX_SHOWN = 5


def number_in(text: str, options: NumberOptions, language: str) -> NumberReading:
    """Return the number of a text in a page with this language (a tag, empty if unknown).

    Raises NothingSelected if there is none.

    >>> number_in("Now only 1.234,56 €", NumberOptions(), "de").value
    '1234.56'
    """
    locale = locale_of(options.locale, language)
    every = list(found_numbers(text, locale, options.currency))
    best = _best(every, options.currency)
    if not best:
        raise _no_number(text, every, options.currency)
    picked = _picked(best, options.pick)
    unit = picked.unit or options.currency
    return NumberReading(
        value=decimal_text(picked.value, unit),
        unit=unit,
        written=picked.written[:MAX_WRITTEN],
        doubts=(*picked.doubts, *_doubts(best, picked, options.pick)),
    )


def decimal_text(value: Decimal, unit: str) -> str:
    """Return a number in its stored form: the same for the same value.

    >>> decimal_text(Decimal("1234.5"), "EUR"), decimal_text(Decimal("-0.0"), "")
    ('1234.50', '0')
    """
    whole, _, decimals = format(value.copy_abs(), "f").partition(".")
    whole, decimals = whole.lstrip("0") or "0", decimals.rstrip("0")
    if decimals and unit not in ("", PERCENT):
        decimals = decimals.ljust(2, "0")
    sign = "-" if value < 0 else ""
    return f"{sign}{whole}.{decimals}" if decimals else f"{sign}{whole}"


def _best(every: Sequence[FoundNumber], currency: str) -> list[FoundNumber]:
    """Return the most likely numbers: prices before percentages and others."""
    if currency:
        if priced := [each for each in every if each.unit == currency]:
            return [each for each in priced if not each.is_rate] or priced
        if any(each.unit not in ("", PERCENT) for each in every):
            return []
        every = [each for each in every if not each.unit]
    priced = [each for each in every if each.unit not in ("", PERCENT)]
    kinds = (
        [each for each in priced if not each.is_rate],
        priced,
        [each for each in every if each.unit == PERCENT],
        [each for each in every if not each.suffix],
    )
    return _without_glued(next((each for each in kinds if each), list(every)))


def _without_glued(several: Sequence[FoundNumber]) -> list[FoundNumber]:
    """Leave out a price whose cents are glued to it if it is written well next to it.

    Shops have $1999, in which the cents only look smaller, and $19.99 for screen readers.
    """
    glued = {
        id(max(pair, key=lambda each: each.value))
        for pair in pairwise(several)
        if pair[0].unit == pair[1].unit and _are_glued(*sorted(each.value for each in pair))
    }
    return [each for each in several if id(each) not in glued]


def _are_glued(price: Decimal, other: Decimal) -> bool:
    return price % 1 != 0 and price * 100 == other


def _picked(several: Sequence[FoundNumber], pick: str) -> FoundNumber:
    match pick:
        case "last":
            return several[-1]
        case "lowest":
            return min(several, key=lambda each: each.value)
        case "highest":
            return max(several, key=lambda each: each.value)
    return several[0]


def _doubts(several: Sequence[FoundNumber], picked: FoundNumber, pick: str) -> tuple[str, ...]:
    doubts = []
    if len({(each.value, each.unit) for each in several}) > 1:
        shown = ", ".join(each.written for each in several[:_MAX_SHOWN])
        more = " …" if len(several) > _MAX_SHOWN else ""
        doubts.append(f"of {shown}{more} the {pick} is read (view.number.pick)")
    if picked.suffix:
        doubts.append(f"{picked.suffix!r} after {picked.written} is not read")
    return tuple(doubts)


def _no_number(text: str, every: Sequence[FoundNumber], currency: str) -> NothingSelected:
    if every:
        shown = ", ".join(each.written for each in every[:_MAX_SHOWN])
        return NothingSelected(f"no number in {currency}, only {shown} (view.number.currency)")
    start = " ".join(text.split())[:MAX_WRITTEN]
    return NothingSelected(f"there is no number in {start!r} (view.number)")
