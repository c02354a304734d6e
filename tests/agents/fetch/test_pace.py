"""How often a page is worth a visit follows from its changes."""

from hypothesis import given
from hypothesis import strategies as st

from streams.agents.fetch.politeness.pace import Pace, interval_at, pace_of
from streams.agents.fetch.state.recurring_texts import remembered, text_hash

START, MINUTE, HOUR = 1_800_000_000_000, 60_000, 3_600_000
LEAST, LONGEST = 60, 86_400


def changing(every: int, times: int) -> bytes:
    """Return the past of a page that changed so often, each so many ms after the one before."""
    past = b""
    for number in range(times + 1):
        past, _ = remembered(past, text_hash(str(number)), START + number * every)
    return past


def test_a_page_of_which_nothing_is_known_gets_the_geometric_mean() -> None:
    assert interval_at(Pace(), 0, 100, 10_000) == 1_000
    assert interval_at(pace_of(changing(HOUR, 0)), START, 100, 10_000) == 1_000


def test_the_interval_is_that_between_the_least_and_the_time_between_changes() -> None:
    pace = pace_of(changing(HOUR, 60))
    assert 9.9 < pace.changes < 10
    assert pace.last == START + 60 * HOUR
    # The geometric mean of 60 s and an hour.
    assert 464 < interval_at(pace, pace.last, LEAST, LONGEST) < 475


def test_a_page_that_changes_at_every_visit_gets_the_least_interval() -> None:
    pace = pace_of(changing(MINUTE, 64))
    assert interval_at(pace, pace.last, LEAST, 3_600) < 1.1 * LEAST


def test_the_last_changes_count_more_than_those_before() -> None:
    past = changing(24 * HOUR, 20)
    slow = pace_of(past)
    for number in range(20):
        past, _ = remembered(past, text_hash(f"new {number}"), slow.last + number * MINUTE)
    quick = pace_of(past)
    assert interval_at(slow, slow.last, LEAST, LONGEST) > 2_000
    assert interval_at(quick, quick.last, LEAST, LONGEST) < 1_000


@given(
    st.floats(0, 10),
    st.floats(0, 1e9),
    st.integers(0, 2 * START),
    st.integers(1, 10_000),
    st.integers(0, 10**8),
)
def test_the_interval_stays_between_both_and_grows_while_nothing_changes(
    changes: float, seconds: float, at: int, least: int, more: int
) -> None:
    pace = Pace(changes, seconds, START)
    first = interval_at(pace, at, least, least + more)
    later = interval_at(pace, at + HOUR, least, least + more)
    assert least <= first <= later <= least + more


@given(st.lists(st.integers(-HOUR, 100 * HOUR), max_size=80))
def test_clocks_that_go_back_do_no_harm(steps: list[int]) -> None:
    past, at = b"", START
    for number, step in enumerate(steps):
        at += step
        past, _ = remembered(past, text_hash(str(number)), at)
    assert LEAST <= interval_at(pace_of(past), at, LEAST, LONGEST) <= LONGEST
