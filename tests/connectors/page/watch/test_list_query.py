"""The address of the list: filters, numbers, orders and pages."""

from dataclasses import replace
from typing import Any

import pytest

from connectors.page.watch.list_query import (
    PER_PAGE,
    WatchQuery,
    ordered,
    part_of,
    sifted,
    state_chips,
    watch_query,
)
from connectors.stores.pages import ListedSubscription
from schemas.records.subscriptions import Options
from tests.fakes.subscriptions import subscription


def listed(key: str, tags: tuple[str, ...] = (), **fields: Any) -> ListedSubscription:
    one = subscription(key, options=Options(tags=tags))
    return replace(ListedSubscription(one, "active", None, None, 60, 5, 0, None), **fields)


WATCHES = [
    listed("a", ("gods",), failures=1),
    listed("b", ("gods", "prices"), lost_since=1, missing="no part"),
    listed("c", ("prices",), state="paused", failures=3),
    listed("d", ("gods",), state="expired", ended=9),
    listed("e"),
]


def ids(watches: list[ListedSubscription]) -> str:
    return "".join(each.subscription.id for each in watches)


@pytest.mark.parametrize(
    ("asked", "found", "states", "tags"),
    [
        ({}, "abce", (4, 1, 1, 1, 1), {"gods": 2, "prices": 2}),
        ({"tag": "gods"}, "ab", (2, 1, 1, 0, 1), {"gods": 2, "prices": 2}),
        ({"state": "failing"}, "a", (4, 1, 1, 1, 1), {"gods": 1}),
        ({"state": "ended"}, "d", (4, 1, 1, 1, 1), {"gods": 1}),
        ({"state": "paused", "tag": "gods"}, "", (2, 1, 1, 0, 1), {"prices": 1}),
    ],
)
def test_numbers_are_those_that_a_click_would_list(
    asked: dict[str, Any], found: str, states: tuple[int, ...], tags: dict[str, int]
) -> None:
    result = sifted(WATCHES, WatchQuery(**asked))
    assert ids(result.watches) == found
    kinds = ("", "failing", "lost", "paused", "ended")
    assert tuple(result.states[each] for each in kinds) == states
    assert result.tags == tags


def test_a_state_that_no_watch_is_in_is_offered_only_if_it_was_asked_for() -> None:
    result = sifted([WATCHES[-1]], WatchQuery(state="lost"))
    chips = state_chips(result.states, WatchQuery(state="lost"))
    assert [(each.name, each.count, each.is_chosen) for each in chips] == [
        ("All", 1, False),
        ("Lost", 0, True),
    ]


@pytest.mark.parametrize(
    ("asked", "count", "first", "last"),
    [(1, 0, 1, 0), (1, 3, 1, 3), (2, 51, 51, 51), (99, 51, 51, 51), (2, 200, 51, 100)],
)
def test_a_page_beyond_the_end_is_the_last(asked: int, count: int, first: int, last: int) -> None:
    part = part_of(count, WatchQuery(q="x", page=asked))
    assert (part.first, part.last, part.count) == (first, last, count)
    assert (part.previous is None) == (first == 1)
    assert (part.next is None) == (last == count)
    if part.next:
        assert watch_query({"q": "x", "page": str(last // PER_PAGE + 1)}).page == 3


def test_those_without_a_time_are_last() -> None:
    times = {"a": 5, "b": None, "c": 3}
    watches = [each for each in WATCHES if each.subscription.id in times]

    def time(each: ListedSubscription) -> int | None:
        return times[each.subscription.id]

    assert ids(ordered(watches, "check", time, time)) == "cab"
    assert ids(ordered(watches, "change", time, time)) == "acb"
    assert ids(ordered(watches, "", time, time)) == "abc"


def test_numbers_in_names_are_sorted_as_numbers() -> None:
    names = ("Lamp 111", "lamp 12", "Lamp 9", "Desk")
    one = WATCHES[0]
    watches = [replace(one, subscription=replace(one.subscription, name=each)) for each in names]
    found = ordered(watches, "name", lambda _: None, lambda _: None)
    assert [each.subscription.name for each in found] == ["Desk", "Lamp 9", "lamp 12", "Lamp 111"]


@pytest.mark.parametrize("page", ["0", "-1", "²", "x", "999999999999", ""])
def test_a_page_that_is_no_number_is_the_first(page: str) -> None:
    assert watch_query({"page": page, "sort": "nothing"}) == WatchQuery()
