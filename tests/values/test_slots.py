"""Slots: pure arithmetic on URL, interval and time."""

from hypothesis import given
from hypothesis import strategies as st

from streams.values.slots import SLOT_STEP_MS, TICK_MS, newest_slot, next_slot

URLS = st.text(min_size=1, max_size=20)
INTERVALS = st.integers(1, 400_000_000)
TIMES = st.integers(0, 10**14)


@given(URLS, INTERVALS, TIMES)
def test_the_newest_slot_is_at_most_one_interval_old(url: str, interval: int, time: int) -> None:
    slot = newest_slot(url, interval, time)
    assert time - interval * 1000 < slot <= time


@given(URLS, INTERVALS, TIMES)
def test_slots_are_one_interval_apart(url: str, interval: int, time: int) -> None:
    slot = newest_slot(url, interval, time)
    following = next_slot(url, interval, time)
    assert following == slot + interval * 1000
    assert newest_slot(url, interval, following) == following
    assert newest_slot(url, interval, following - 1) == slot


@given(URLS, INTERVALS, TIMES)
def test_a_slot_is_the_newest_one_from_its_own_time_on(url: str, interval: int, time: int) -> None:
    slot = newest_slot(url, interval, time)
    assert newest_slot(url, interval, slot) == slot


def test_slots_stay_the_same_in_every_release() -> None:
    assert newest_slot("http://d.test/", 600, 1_700_000_000_000) == 1_699_999_802_380


def test_documents_are_spread_over_the_interval() -> None:
    urls = [f"http://d.test/{number}" for number in range(600)]
    phases = {newest_slot(url, 600, 10**12) for url in urls}
    assert len(phases) > 500


def test_documents_that_are_due_in_the_same_second_are_spread_over_it() -> None:
    urls = [f"http://d.test/{number}" for number in range(600)]
    assert len({newest_slot(url, 1, 10**12) for url in urls}) == TICK_MS // SLOT_STEP_MS
