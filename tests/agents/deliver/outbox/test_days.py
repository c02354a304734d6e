"""The days on which notifications are counted: by the clocks of a zone, and bounded."""

from datetime import UTC, datetime
from zoneinfo import ZoneInfo

from hypothesis import given
from hypothesis import strategies as st

from streams.agents.deliver.outbox.times import DayCounts, day_end

ZONES = ("UTC", "Europe/Berlin", "America/Sao_Paulo", "America/Havana", "Asia/Beirut", "Asia/Tokyo")
"""Some change their clocks at midnight."""
MOMENTS = st.integers(1_262_304_000, 2_000_000_000).map(lambda seconds: seconds * 1000)


@given(st.sampled_from(ZONES), MOMENTS)
def test_a_day_ends_at_the_first_moment_that_has_the_next_date(zone: str, now: int) -> None:
    end = day_end(zone, now)

    def date(moment: int) -> object:
        return datetime.fromtimestamp(moment / 1000, UTC).astimezone(ZoneInfo(zone)).date()

    assert now < end
    assert date(end - 1) == date(now) != date(end)
    assert day_end(zone, end - 1) == end


def test_one_that_is_handled_again_counts_once_and_a_day_begins_with_none() -> None:
    counts = DayCounts()
    assert [counts.note("s", each, 100).sent for each in ("a", "b", "b")] == [1, 2, 2]
    assert not counts.is_over("s", "b", 2, 50), "it was counted itself"
    assert counts.is_over("s", "c", 2, 50)
    assert not counts.is_over("s", "c", 2, 100)
    assert not counts.is_over("other", "c", 2, 50)
    assert counts.note("s", "c", 200).sent == 1


def test_counts_of_days_that_have_ended_and_those_of_too_many_are_dropped() -> None:
    counts = DayCounts(most=2)
    for number, end in enumerate((300, 200, 100)):
        counts.note(f"s{number}", "a", end)
    assert counts.forget(50) == "s0"
    assert counts.forget(50) is None
    assert counts.forget(250) == "s1"
    loaded = DayCounts(most=1)
    loaded.load([("late", counts.note("late", "a", 300)), ("soon", counts.note("soon", "a", 9))])
    assert (loaded.forget(0), len(loaded._counts)) == ("soon", 1)
