"""The series of a watched number, as a chart."""

from collections.abc import Sequence
from dataclasses import dataclass
from decimal import Decimal

from connectors.display.subscription_texts import conditions_text
from connectors.languages.texts import gettext, msgid
from schemas.codec.times import rfc3339
from schemas.records.numbers import Conditions, NumberPoint

WIDTH, HEIGHT, EDGE = 640, 160, 8
"""Units of the drawing; ``EDGE`` is free above and below the line."""
_LIMITS = {"below": msgid("below %(limit)s"), "above": msgid("above %(limit)s")}
MAX_ROWS = 20
"""Numbers in the table, the latest."""


@dataclass(frozen=True, slots=True)
class Limit:
    """A limit of a subscription, at a height of the drawing."""

    y: int
    text: str


@dataclass(frozen=True, slots=True)
class NumberChart:
    """A chart of a number, as paths of SVG, and its description in words.

    ``notified`` describes the numbers for notifications; ``rows`` are the latest points, newest
    first: the time, and the number.
    """

    now: str
    notified: str
    text: str
    line: str
    area: str
    limits: tuple[Limit, ...]
    highest: str
    lowest: str
    begin: str
    rows: tuple[tuple[str, str], ...]
    is_cut: bool


def number_chart(points: Sequence[NumberPoint], when: Conditions, until: int) -> NumberChart | None:
    """Draw the points in the unit of the last point, ``until`` a time (epoch ms).

    ``points`` are the oldest first; None if there are none.

    >>> points = [NumberPoint(0, "20", "EUR"), NumberPoint(50, "10", "EUR")]
    >>> number_chart(points, Conditions(), until=100).line
    'M0 8H320V152H640'
    """
    if not points:
        return None
    alike = [each for each in points if each.unit == points[-1].unit]
    both = ("below", when.below), ("above", when.above)
    limits = [(name, Decimal(text)) for name, text in both if text is not None]
    scale = _Scale(alike, [limit for _, limit in limits], max(until, alike[-1].at + 1))
    line = scale.line()
    unit = points[-1].unit
    low, high = (function(alike, key=_amount) for function in (min, max))
    rows = tuple((rfc3339(each.at), str(each)) for each in points[::-1][:MAX_ROWS])
    return NumberChart(
        now=str(points[-1]),
        notified=gettext("Notified when %(conditions)s", conditions=conditions_text(when))
        if when.are_set
        else gettext("Each change is notified"),
        text=gettext(
            "%(first)s at first, %(now)s now; lowest %(low)s, highest %(high)s",
            first=alike[0],
            now=points[-1],
            low=low,
            high=high,
        ),
        line=line,
        area=f"{line}V{HEIGHT}H0z",
        limits=tuple(
            Limit(scale.y(limit), gettext(_LIMITS[name], limit=f"{limit} {unit}".rstrip()))
            for name, limit in limits
        ),
        highest=str(high),
        lowest=str(low),
        begin=rfc3339(alike[0].at),
        rows=rows,
        is_cut=len(points) > len(rows),
    )


def _amount(point: NumberPoint) -> Decimal:
    return point.amount


class _Scale:
    """Coordinates of numbers and times in the drawing."""

    def __init__(
        self, points: Sequence[NumberPoint], limits: Sequence[Decimal], until: int
    ) -> None:
        self._points = points
        every = [*map(_amount, points), *limits]
        self._low, self._high = min(every), max(every)
        self._begin, self._time = points[0].at, max(1, until - points[0].at)

    def line(self) -> str:
        """Return a line of steps: a number holds until the next."""
        first, *others = self._points
        steps = (f"H{self._x(each.at)}V{self.y(each.amount)}" for each in others)
        return f"M0 {self.y(first.amount)}{''.join(steps)}H{WIDTH}"

    def y(self, amount: Decimal) -> int:
        """Return the height of a number; a constant number is in the middle."""
        room = HEIGHT - 2 * EDGE
        if self._high == self._low:
            return HEIGHT // 2
        return HEIGHT - EDGE - int(room * (amount - self._low) / (self._high - self._low))

    def _x(self, at: int) -> int:
        return max(0, min(WIDTH, WIDTH * (at - self._begin) // self._time))
