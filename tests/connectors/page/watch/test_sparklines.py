"""How often a page changed, in the list and on its page."""

import re

import pytest
from aiohttp import ClientSession
from hypothesis import given
from hypothesis import strategies as st

from connectors.page.watch.sparklines import HEIGHT, LEAST, STEP, sparkline
from connectors.stores.pages import DAY_MS
from tests.connectors.page.watch.test_changes import AT, changed, seen
from tests.fakes.subscriptions import subscribed
from tests.harness.page import ServedPage

TODAY = 100
BAR = re.compile(rf"M(\d+) {HEIGHT}v-(\d+)h3v\2z")


@pytest.mark.parametrize(
    ("counts", "days", "text"),
    [
        ({}, 30, "0 changes in 30 days"),
        ({TODAY: 1}, 30, "1 change in 30 days, most on 11 April (1)"),
        ({TODAY: 1}, 1, "1 change in 1 day, most on 11 April (1)"),
        ({TODAY - 30: 9, TODAY - 29: 2}, 30, "2 changes in 30 days, most on 13 March (2)"),
        ({TODAY: 999, TODAY - 1: 1}, 7, "1,000 or more changes in 7 days, most on 11 April (999)"),
    ],
)  # fmt: skip
def test_a_sparkline_says_what_it_shows(counts: dict[int, int], days: int, text: str) -> None:
    assert sparkline(counts, TODAY * DAY_MS + 5, days).text == text


@given(st.dictionaries(st.integers(TODAY - 40, TODAY + 5), st.integers(1, 1_000)))
def test_a_bar_is_as_high_as_its_day_was_busy(counts: dict[int, int]) -> None:
    line = sparkline(counts, TODAY * DAY_MS, 30)
    each = [counts.get(TODAY - 29 + at, 0) for at in range(30)]
    bars = {int(x): int(height) for x, height in BAR.findall(line.path)}
    assert line.width == STEP * 30
    assert set(bars) == {STEP * at for at, count in enumerate(each) if count}
    assert all(LEAST <= height <= HEIGHT for height in bars.values())
    if bars:
        assert bars[STEP * each.index(max(each))] == HEIGHT


async def test_changes_since_a_watch_began_are_in_the_list_and_on_its_page(
    served: ServedPage, http: ClientSession
) -> None:
    facts = [changed(f"c{ago}", at=AT - ago * DAY_MS) for ago in (0, 1, 2, 40)]
    begun = AT - DAY_MS
    await served.store.read_side.record([subscribed(at=begun), *facts])
    for path in ("/", "/watch/s1"):
        page = await seen(http, served.base + path)
        (chart,) = page.select(".spark svg")
        assert chart["aria-label"] == "2 changes in 30 days, most on 13 November (1)"
        (bars,) = chart.select("path")
        assert str(bars["d"]).count("M") == 2
