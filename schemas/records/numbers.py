"""The number of a page: its reading, its conditions for notifications, and its series.

Numbers are decimal texts, such as ``1234.50``: floats are too imprecise for prices.
"""

import re
from dataclasses import dataclass, replace
from decimal import Decimal
from typing import Annotated

from schemas.records.field_types import Time
from schemas.records.fields import About

MAX_DIGITS = 30
"""Digits of a number, at most."""
MAX_POINTS = 500
"""The most points of a series; before the latest 250, the least telling points are left out."""
_NUMBER = re.compile(r"-?[0-9]{1,30}(\.[0-9]{1,30})?")
_POSITIVE = re.compile(r"(?!0+(\.0+)?$)[0-9]{1,12}(\.[0-9]{1,12})?")
TEXT, PRODUCT = "text", "product"
FIRST, LAST, LOWEST, HIGHEST = "first", "last", "lowest", "highest"
PERCENT = "%"
"""The unit of a percentage."""

_DECIMAL = "a number such as 1299.50, with a point,"

DecimalText = Annotated[str, About(pattern=_NUMBER, allowed=_DECIMAL, decimal=True)]
"""A number as a decimal text."""
Unit = Annotated[
    str,
    About(pattern=re.compile(r"([A-Z]{3}|%)?"), allowed="a currency of three letters, % or none"),
]
"""A currency (ISO 4217), ``%``, or nothing."""


@dataclass(frozen=True, slots=True)
class NumberOptions:
    """The reading of a number from a page; the object ``view.number`` in JSON.

    >>> NumberOptions(currency="EUR", locale="de-AT").pick
    'first'
    """

    source: Annotated[
        str,
        About(
            "text: the number in what is selected; product: the price that the page states for "
            "programs. Without it: text with view.select, else product.",
            choices=("", TEXT, PRODUCT),
            allowed="'text' or 'product'",
            json_name="from",
        ),
    ] = ""
    pick: Annotated[
        str,
        About(
            "Which number is read, if there are several.",
            choices=(FIRST, LAST, LOWEST, HIGHEST),
            allowed="'first', 'last', 'lowest' or 'highest'",
        ),
    ] = FIRST
    locale: Annotated[
        str,
        About(
            "How numbers are written, such as de-CH, if not as in the language of the page.",
            pattern=re.compile(r"([A-Za-z]{2,3}([-_][A-Za-z0-9]{2,8}){0,2})?"),
            allowed="a locale, such as 'de' or 'de-CH',",
        ),
    ] = ""
    currency: Annotated[
        str,
        About(
            "Read only numbers in this currency (ISO 4217), or without any.",
            pattern=re.compile(r"([A-Za-z]{3})?"),
            allowed="three letters, such as 'EUR',",
        ),
    ] = ""


PRODUCT_NUMBER, TEXT_NUMBER = NumberOptions(source=PRODUCT), NumberOptions(source=TEXT)


@dataclass(frozen=True, slots=True)
class Conditions:
    """Of which numbers a subscription is notified: any of these; the object ``when`` in JSON.

    Without any, each change is notified.
    """

    below: Annotated[
        str | None,
        About("The number comes below this.", pattern=_NUMBER, allowed=_DECIMAL, decimal=True),
    ] = None
    above: Annotated[
        str | None,
        About("The number comes above this.", pattern=_NUMBER, allowed=_DECIMAL, decimal=True),
    ] = None
    changes_by: Annotated[
        str | None,
        About(
            "It differs by so many percent from the number that was last notified.",
            pattern=_POSITIVE,
            allowed='a number of percent above 0, such as "5",',
            decimal=True,
        ),
    ] = None
    margin: Annotated[
        str,
        About(
            "So many percent of a limit it must go back before the limit counts again.",
            pattern=re.compile(r"[0-9]{1,2}(\.[0-9]{1,12})?"),
            allowed='a number of percent below 100, such as "1",',
            decimal=True,
        ),
    ] = "1"

    def __str__(self) -> str:
        """Return them for people.

        >>> str(Conditions(below="20", changes_by="5"))
        'below 20 or changed by 5 %'
        """
        said = [
            f"{name} {limit}"
            for name, limit in (("below", self.below), ("above", self.above))
            if limit is not None
        ]
        if self.changes_by is not None:
            said.append(f"changed by {self.changes_by} %")
        return " or ".join(said)

    @property
    def are_set(self) -> bool:
        """Whether there is a condition."""
        return (self.below, self.above, self.changes_by) != (None, None, None)


NO_CONDITIONS = Conditions()


@dataclass(frozen=True, slots=True)
class NumberPoint:
    """A number of a page since a time."""

    at: Time
    value: DecimalText
    unit: Unit = ""

    @property
    def amount(self) -> Decimal:
        """The value as a number."""
        return Decimal(self.value)

    def __str__(self) -> str:
        return f"{self.value} {self.unit}".rstrip()


@dataclass(frozen=True, slots=True)
class NumberNews:
    """A notified number, and the number before on the page.

    ``why`` names the conditions met, for people; none without conditions.
    """

    before: DecimalText
    after: DecimalText
    unit: Unit
    why: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class NumberReading:
    """A read number; ``written`` is its form on the page.

    ``doubts`` name, for people, its other meanings.
    """

    value: str
    unit: str
    written: str
    doubts: tuple[str, ...] = ()

    def __str__(self) -> str:
        return f"{self.value} {self.unit}".rstrip()


def shown_points(points: tuple[NumberPoint, ...], begin: int) -> tuple[NumberPoint, ...]:
    """Return the points held since a time (epoch ms); the first of them begins no earlier.

    >>> points = tuple(NumberPoint(at, str(at)) for at in (1, 5, 9))
    >>> shown_points(points, 6)
    (NumberPoint(at=6, value='5', unit=''), NumberPoint(at=9, value='9', unit=''))
    """
    earlier = sum(point.at < begin for point in points)
    if not earlier:
        return points
    return replace(points[earlier - 1], at=begin), *points[earlier:]


def packed_series(points: tuple[NumberPoint, ...]) -> bytes:
    r"""Return a series in its stored form: a line for each point.

    >>> packed_series((NumberPoint(5, "19.90", "EUR"), NumberPoint(9, "21")))
    b'5 19.90 EUR\n9 21 '
    """
    return "\n".join(f"{each.at} {each.value} {each.unit}" for each in points).encode()


def unpacked_series(packed: bytes) -> tuple[NumberPoint, ...]:
    """Return the points of a series, the oldest first."""
    lines = (line.split(" ") for line in packed.decode().split("\n") if line)
    return tuple(NumberPoint(int(at), value, unit) for at, value, unit in lines)
