"""The meaning of a run of digits with points, commas and blanks."""

import re
from decimal import Decimal
from typing import NamedTuple

from connectors.readers.marks import CENTS
from connectors.readers.numbers.locales import Locale
from connectors.readers.numbers.units import NO_DECIMALS, THREE_DECIMALS
from schemas.records.numbers import MAX_DIGITS

_ARABIC = "\u066b"
"""The decimal separator of Arabic."""
_BETWEEN = "'\u2018\u2019\u02bc\u2032\u066c"
"""Signs never before decimals: apostrophes, and Arabic's thousands separator."""
# Its first character is in one set, which is found ten times as fast as one of several patterns.
RUN = re.compile(
    r"[\d.,](?:"
    rf"(?<=\d)(?<!0)\d{{0,2}}(?: \d{{3}})+(?!\d)(?:[ \n]?[.,{_ARABIC}]\d+|[ \n]?{CENTS} ?\d+)?"
    rf"|(?<=\d)\d*(?:[.,{_ARABIC}{_BETWEEN}]\d+)*"
    rf"(?:[ \n]?{CENTS} ?\d+|[ \n][.,]\d\d(?![\d.,]))?"
    r"|(?<=[.,])(?<![\w.,].)\d{1,2}(?![\d.,])"
    ")"
)
"""Finds a number without its sign and its unit."""
BLANKS = re.compile(r"\d \d")
"""Found in a run with blanks between thousands."""
_APOSTROPHES = str.maketrans("", "", _BETWEEN)
_THOUSANDS = re.compile(r"[0-9]{1,3}([.,][0-9]{2,3})*[.,][0-9]{3}")
"""Groups of three, or of two before the last group, as in India."""
_BEGUN = re.compile(r"([0-9]+)[.,]([0-9]{2})")


class Amount(NamedTuple):
    """A number with its doubts."""

    value: Decimal
    doubt: str = ""


def amount_of(run: str, locale: Locale, unit: str) -> Amount | None:
    """Return the number of a run, None for a date, a version or the like.

    >>> amount_of("1.234,56", Locale("en", "", False), "")
    Amount(value=Decimal('1234.56'), doubt='')
    >>> amount_of("24.12.2026", Locale("de", "", False), "") is None
    True
    """
    if run.isascii() and run.isdigit() and len(run) <= MAX_DIGITS:
        return Amount(Decimal(run))
    digits = _ascii("".join(run.split()).translate(_APOSTROPHES))
    if sum(map(str.isdigit, digits)) > MAX_DIGITS:
        return None
    if CENTS in digits or _ARABIC in digits:
        return _with_sure(*digits.replace(_ARABIC, CENTS).split(CENTS))
    marks = [each for each in digits if each in ".,"]
    if len(set(marks)) == 2:
        return _with_both(digits, marks)
    if len(marks) != 1:
        return Amount(_number(digits)) if _is_grouped(digits) else None
    is_sure = BLANKS.search(run) or run != run.translate(_APOSTROPHES)
    return (
        Amount(_number(digits, marks[0])) if is_sure else _with_one(digits, marks[0], locale, unit)
    )


def _with_sure(whole: str, *decimals: str) -> Amount | None:
    """Read a number with a sure begin of its decimals, or of a further group, as in 1.79 and 9."""
    begun = _BEGUN.fullmatch(whole)
    is_number = len(decimals) == 1 and decimals[0].isdigit()
    if not is_number or not (begun or _is_grouped(whole)):
        return None
    known = f"{begun[1]}.{begun[2]}" if begun else f"{_number(whole)}."
    return Amount(Decimal(known + decimals[0]))


def _with_both(digits: str, marks: list[str]) -> Amount | None:
    last = marks[-1]
    whole, _, decimals = digits.rpartition(last)
    if marks.count(last) > 1 or not _is_grouped(whole):
        return None
    return Amount(Decimal(f"{_number(whole)}.{decimals}"))


def _with_one(digits: str, mark: str, locale: Locale, unit: str) -> Amount:
    """Read a number with a single comma or point, before decimals or after thousands."""
    whole, _, rest = digits.partition(mark)
    decimal, grouped = _number(digits, mark), _number(digits)
    if len(rest) != 3 or len(whole) > 3 or whole.startswith("0"):
        return Amount(decimal)
    if unit in NO_DECIMALS and not locale.is_exact:
        return Amount(grouped)
    if locale.mark and (locale.is_chosen or (locale.is_exact and mark == ".")):
        return Amount(decimal if mark == locale.mark else grouped)
    # Prices have two decimals, and many shops declare a language that is not theirs.
    is_price = bool(unit) and unit not in (*THREE_DECIMALS, "%")
    if locale.mark and not is_price:
        return Amount(decimal if mark == locale.mark else grouped)
    if is_price and locale.mark and mark != locale.mark:
        return Amount(grouped)
    doubt = f"{digits} is read as {grouped}; it may be {decimal} (view.number.locale)"
    return Amount(grouped, doubt)


def _is_grouped(digits: str) -> bool:
    return digits.isdigit() or _THOUSANDS.fullmatch(digits) is not None


def _number(digits: str, mark: str = "") -> Decimal:
    """Return the number of some digits; ``mark`` is before its decimals, another is left out."""
    plain = digits.replace(mark, "d") if mark else digits
    return Decimal(plain.replace(".", "").replace(",", "").replace("d", "."))


def _ascii(text: str) -> str:
    """Return a text with the digits of all scripts as 0 to 9."""
    if text.isascii():
        return text
    return "".join(str(int(each)) if each.isdecimal() else each for each in text)
