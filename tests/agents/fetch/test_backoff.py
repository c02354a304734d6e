"""How long a page that cannot be read is left alone."""

from hypothesis import given
from hypothesis import strategies as st

from streams.agents.fetch.politeness.pace import LONGEST_S, pause_ms

FACTORS = st.floats(1, 10)


def test_each_failure_doubles_the_time_to_the_next_fetch() -> None:
    times = [60 + pause_ms(failures, 60, 2.0) // 1000 for failures in range(5)]
    assert times == [60, 120, 240, 480, 960]


def test_ten_failures_of_a_page_looked_at_every_ten_minutes_take_days() -> None:
    times = [600 + pause_ms(failures, 600, 2.0) // 1000 for failures in range(1, 10)]
    assert sum(times) > 2 * LONGEST_S


@given(st.integers(0, 10**9), st.integers(1, LONGEST_S), FACTORS)
def test_a_failing_page_is_looked_at_every_day(failures: int, interval: int, factor: float) -> None:
    assert 0 <= pause_ms(failures, interval, factor) <= (LONGEST_S - interval) * 1000


@given(st.integers(0, 100), st.integers(LONGEST_S, 10 * LONGEST_S), FACTORS)
def test_an_interval_of_more_than_a_day_stays(failures: int, interval: int, factor: float) -> None:
    assert pause_ms(failures, interval, factor) == 0


@given(st.integers(0, 100), st.integers(1, 10**6))
def test_a_factor_of_one_leaves_out_nothing(failures: int, interval: int) -> None:
    assert pause_ms(failures, interval, 1) == 0
