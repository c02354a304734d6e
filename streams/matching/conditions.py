"""Conditions for the numbers that a subscription is notified of.

What it was notified of before follows from the series of the number alone, from the point that
held when the subscription began: so nothing has to be stored, and a change that is read again,
or tried in a backtest, has the same answer. A pause changes nothing in that.
"""

from collections.abc import Sequence
from datetime import UTC, datetime
from decimal import Context, Decimal
from typing import NamedTuple, TypeAlias

from schemas.records.numbers import Conditions, NumberNews, NumberPoint
from schemas.records.subscriptions import Subscription

MAX_KNOWN = 1_000
"""Answers of a change that are cached for other subscriptions with the same conditions."""
_EXACT = Context(prec=200)
"""Sums and products of the numbers that are read are exact in it."""


class NumberSeries:
    """The series of a number up to a change, for all subscriptions."""

    def __init__(self, points: Sequence[NumberPoint]) -> None:
        """``points`` end with the number that the change is about; none: it is about a text."""
        self._points = points
        self._amounts = [point.amount for point in points]
        self._known: dict[tuple[Conditions, int], tuple[_Condition, ...]] = {}

    def concerns(self, subscription: Subscription) -> bool:
        """Return whether the change is one to notify a subscription of, by its conditions."""
        return not subscription.options.when.are_set or bool(self._reasons(subscription))

    def news(self, subscription: Subscription) -> NumberNews | None:
        """Return what a notification says of the number; None if there is no earlier one."""
        if len(self._points) < 2:
            return None
        before, after = self._points[-2:]
        return NumberNews(before.value, after.value, after.unit, self._reasons(subscription))

    def _reasons(self, subscription: Subscription) -> tuple[str, ...]:
        when, created = subscription.options.when, subscription.created
        if not when.are_set:
            return ()
        # The last point may be the one that it began with.
        earlier = [at for at, point in enumerate(self._points[:-1]) if point.at <= created]
        start = earlier[-1] if earlier else 0
        known = self._known.get((when, start))
        if known is None:
            known = held_conditions(when, self._points[start:], self._amounts[start:])
            if len(self._known) < MAX_KNOWN:
                self._known[when, start] = known
        return tuple(each.text(self._points[-1], created) for each in known)


def held_conditions(
    when: Conditions, points: Sequence[NumberPoint], amounts: Sequence[Decimal]
) -> "tuple[_Condition, ...]":
    """Return the conditions that hold for the last point of a series.

    ``amounts`` are the values of the points. The first point is the one that is known when a
    subscription begins.

    >>> points = [NumberPoint(at, value, "EUR") for at, value in enumerate(("21", "19"))]
    >>> held = held_conditions(Conditions(below="20"), points, [Decimal("21"), Decimal("19")])
    >>> [each.text(points[-1], 0) for each in held]
    ['below 20 EUR (counts again from 20.2 EUR on)']
    """
    states: list[_Limit | _Move] = []
    unit = ""
    for at, (point, amount) in enumerate(zip(points, amounts, strict=True)):
        is_other = bool(unit and point.unit) and unit != point.unit
        if at == 0 or is_other:
            states = _begun(when, point, amount)
        held = [each for each in states if each.holds(amount)]
        if at == len(points) - 1:
            return (_OtherUnit(unit),) if is_other else tuple(held)
        if held:
            for each in states:
                each.notified(point, amount)
        unit = point.unit or unit
    return ()


def _begun(when: Conditions, first: NumberPoint, amount: Decimal) -> "list[_Limit | _Move]":
    """Return the conditions, from the first number of a series on."""
    states: list[_Limit | _Move] = []
    margin = Decimal(when.margin)
    if when.below is not None:
        states.append(_Limit("below", 1, Decimal(when.below), margin, amount))
    if when.above is not None:
        states.append(_Limit("above", -1, Decimal(when.above), margin, amount))
    if when.changes_by is not None:
        states.append(_Move(Decimal(when.changes_by), first, amount))
    return states


class _Limit:
    """A limit that a number crosses; it counts again once the number was well before it."""

    def __init__(
        self, name: str, sign: int, limit: Decimal, margin: Decimal, first: Decimal
    ) -> None:
        """``sign`` is 1 if smaller numbers are beyond the limit, -1 if larger ones are."""
        self._name = name
        self._sign = sign
        self._limit = limit
        room = _EXACT.multiply(abs(limit), margin).scaleb(-2, _EXACT)
        self._again = _EXACT.add(limit, room.copy_sign(Decimal(sign)))
        self._counts = not self._is_beyond(first)

    def holds(self, amount: Decimal) -> bool:
        if self._is_beyond(amount):
            counted, self._counts = self._counts, False
            return counted
        if not self._counts:
            self._counts = amount >= self._again if self._sign > 0 else amount <= self._again
        return False

    def notified(self, point: NumberPoint, amount: Decimal) -> None:
        pass  # only where the number is counts, not what was notified

    def text(self, point: NumberPoint, _: int) -> str:
        limit, again = (
            f"{each.normalize(_EXACT):f} {point.unit}".rstrip()
            for each in (self._limit, self._again)
        )
        way = "on" if self._sign > 0 else "down"
        return f"{self._name} {limit} (counts again from {again} {way})"

    def _is_beyond(self, amount: Decimal) -> bool:
        return amount < self._limit if self._sign > 0 else amount > self._limit


class _Move:
    """A number that moves away from the one that was last notified."""

    def __init__(self, percent: Decimal, first: NumberPoint, amount: Decimal) -> None:
        self._percent = percent
        self.notified(first, amount)

    def holds(self, amount: Decimal) -> bool:
        return amount != self._amount and not self._lowest < amount < self._highest

    def notified(self, point: NumberPoint, amount: Decimal) -> None:
        self._known, self._amount = point, amount
        room = _EXACT.multiply(abs(amount), self._percent).scaleb(-2, _EXACT)
        self._lowest, self._highest = _EXACT.subtract(amount, room), _EXACT.add(amount, room)

    def text(self, point: NumberPoint, created: int) -> str:
        moved = _EXACT.subtract(point.amount, self._amount)
        share = f"by {100 * moved / abs(self._amount):+.1f} % " if self._amount else ""
        # The point may have held long before, for others.
        since = datetime.fromtimestamp(max(self._known.at, created) / 1000, UTC)
        return f"changed {share}from {self._known} (since {since:%Y-%m-%d %H:%M} UTC)"


class _OtherUnit(NamedTuple):
    """A number with another unit than before."""

    unit: str

    def text(self, point: NumberPoint, _: int) -> str:
        return f"in {point.unit}, no longer in {self.unit}"


_Condition: TypeAlias = _Limit | _Move | _OtherUnit
"""Its ``text`` is for a subscription that was made at a time (epoch ms)."""
