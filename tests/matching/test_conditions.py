"""Of which numbers a subscription is notified."""

import itertools
from decimal import Decimal

import pytest
from hypothesis import given
from hypothesis import strategies as st

from schemas.records.numbers import Conditions, NumberPoint
from schemas.records.subscriptions import Options, Receiver, Subscription
from streams.matching.conditions import NumberSeries, held_conditions


def points(*values: str, unit: str = "EUR") -> list[NumberPoint]:
    return [NumberPoint(60_000 * at, value, unit) for at, value in enumerate(values)]


def notified(when: Conditions, *values: str) -> list[str]:
    """Return the numbers that a subscription is notified of."""
    series = points(*values)
    amounts = [each.amount for each in series]
    ends = range(1, len(series) + 1)
    return [values[end - 1] for end in ends if held_conditions(when, series[:end], amounts[:end])]


def reasons(when: Conditions, series: list[NumberPoint]) -> list[str]:
    """Return what a subscription from the first point on is notified of, for people."""
    held = held_conditions(when, series, [each.amount for each in series])
    return [each.text(series[-1], series[0].at) for each in held]


@pytest.mark.parametrize(
    ("when", "values", "expected"),
    [
        (Conditions(below="20"), "21 19.99 19 18", ["19.99"]),
        (Conditions(below="20"), "19 18", []),
        (Conditions(below="20"), "21 20 19.99", ["19.99"]),
        (Conditions(below="20"), "21 19.99 20.01 19.99 20.01 19.99", ["19.99"]),
        (Conditions(below="20"), "21 19.99 20.20 19.99", ["19.99", "19.99"]),
        (Conditions(below="20", margin="0"), "21 19.99 20 19.98", ["19.99", "19.98"]),
        (Conditions(below="-5"), "-4 -6 -4.99 -6 -4 -7", ["-6", "-7"]),
        (Conditions(above="20"), "19 20 20.01 19.9 20.5 19.8 21", ["20.01", "21"]),
        (Conditions(below="10", above="20"), "15 9 21 9", ["9", "21", "9"]),
        (Conditions(changes_by="5"), "100 104.99 105 109 110.25", ["105", "110.25"]),
        (Conditions(changes_by="5"), "100 96 95 99.75", ["95", "99.75"]),
        (Conditions(changes_by="5"), "0 0 0.01", ["0.01"]),
        (Conditions(below="100", changes_by="5"), "101 99 96 94", ["99", "94"]),
    ],
)
def test_a_condition_holds_once_for_each_crossing(
    when: Conditions, values: str, expected: list[str]
) -> None:
    assert notified(when, *values.split()) == expected


def test_a_notification_explains_its_conditions() -> None:
    series = points("30", "19")
    assert reasons(Conditions(below="20", changes_by="5"), series) == [
        "below 20 EUR (counts again from 20.2 EUR on)",
        "changed by -36.7 % from 30 EUR (since 1970-01-01 00:00 UTC)",
    ]


def test_a_number_from_before_a_subscription_holds_since_its_beginning() -> None:
    series = NumberSeries([NumberPoint(0, "30", "EUR"), NumberPoint(3_600_000, "19", "EUR")])
    options = Options(when=Conditions(changes_by="5"))
    found = list[str]()
    for created in (0, 3_540_000):
        news = series.news(Subscription("s", "w", "m", "u", "u", Receiver(), (), options, created))
        assert news is not None
        found += news.why
    assert found == [
        "changed by -36.7 % from 30 EUR (since 1970-01-01 00:00 UTC)",
        "changed by -36.7 % from 30 EUR (since 1970-01-01 00:59 UTC)",
    ]


def test_another_currency_is_notified_and_begins_again() -> None:
    series = [*points("30", "29"), NumberPoint(9, "15", "USD"), NumberPoint(10, "14", "USD")]
    when = Conditions(below="20")
    assert reasons(when, series[:3]) == ["in USD, no longer in EUR"]
    assert reasons(when, series) == []


values = st.decimals(-1000, 1000, places=2).map(str)


@given(st.lists(values, min_size=1, max_size=30), values)
def test_a_limit_is_notified_of_no_more_than_its_crossings(several: list[str], limit: str) -> None:
    below = [Decimal(each) < Decimal(limit) for each in several]
    crossings = sum(now and not before for before, now in itertools.pairwise(below))
    found = notified(Conditions(below=limit), *several)
    assert len(found) <= crossings
    assert all(Decimal(each) < Decimal(limit) for each in found)
    assert notified(Conditions(below=limit, margin="0"), *several) == [
        several[at + 1] for at in range(len(several) - 1) if below[at + 1] and not below[at]
    ]


@given(st.lists(values, min_size=2, max_size=30))
def test_no_two_numbers_notified_in_a_row_are_nearer_than_the_percentage(
    several: list[str],
) -> None:
    known = [Decimal(several[0]), *map(Decimal, notified(Conditions(changes_by="10"), *several))]
    for before, after in itertools.pairwise(known):
        assert abs(after - before) * 10 >= abs(before)
