"""The hours at which a client wants to be notified, through all that clocks do."""

from datetime import UTC, datetime
from zoneinfo import ZoneInfo

import pytest
from hypothesis import given
from hypothesis import strategies as st

from streams.values.hours import InvalidHours, next_open, parse_hours

ZONES = (
    *("UTC", "Europe/Berlin", "America/New_York", "America/Sao_Paulo", "Asia/Kolkata"),
    *("Australia/Lord_Howe", "Asia/Beirut", "America/Havana", "Pacific/Apia", "Africa/Casablanca"),
)
"""Some change their clocks at midnight, by half an hour, or left out a day."""
DAYS = ("Mon", "Tue", "Wed", "Thu", "Fri", "Sat", "Sun")
MINUTE_MS, DAY, WEEK = 60_000, 24 * 60, 7 * 24 * 60
MOMENTS = st.integers(1_262_304_000, 2_000_000_000).map(lambda seconds: seconds * 1000)
TIMES = st.integers(0, 95).map(lambda quarter: f"{quarter // 4:02}:{quarter % 4 * 15:02}")


@st.composite
def some_hours(draw: st.DrawFn) -> str:
    rules = []
    for _ in range(draw(st.integers(1, 3))):
        days = draw(st.lists(st.sampled_from(DAYS), max_size=3))
        times = draw(st.tuples(TIMES, TIMES).filter(lambda each: each[0] != each[1]))
        rules.append(" ".join([",".join(days), "-".join(times)]).strip())
    return "; ".join(rules)


def ms(text: str) -> int:
    return round(datetime.fromisoformat(text).timestamp() * 1000)


@pytest.mark.parametrize(
    ("text", "same"),
    [
        ("Mon-Fri 08:00-18:00", "mon-fri 8-18"),
        ("Monday - Friday 8:00 - 18:00", "Mon,Tue,Wed,Thu,Fri 8-18"),
        ("Sat, Sun 10-14, 15-16", "Sat 10-14,15-16, Sun 10-14,15-16"),
        ("Fri-Mon", "Fri,Sat,Sun,Mon 0-24"),
        ("Mon; Tue 8-9", "Mon 0-24 Tue 8-9"),
        ("Sun 22-6", "Sun 22-24, Mon 0-6"),
        ("8-12,11-13", "8-13"),
        ("Mon-Fri 08:00–18:00", "Mon-Fri 8-18"),  # noqa: RUF001 - as word processors write it
    ],
)
def test_hours_are_written_in_several_ways(text: str, same: str) -> None:
    assert parse_hours(text) == parse_hours(same)


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("", "such as Mon-Fri 08:00-18:00"),
        ("weekdays 8-18", "not 'weekdays'"),
        ("Mo 8-18", "not 'Mo'"),
        ("Mon-Fri 8-25", "not '8-25'"),
        ("8:60-9", "not '8:60-9'"),
        ("08:00", "not '08:00'"),
        ("8-8", "'8-8' has no end"),
        ("Mon;;Tue", "such as"),
        ("x" * 200, "not 'xxx"),
    ],
)
def test_what_names_no_hours_is_refused_with_the_word_that_is_wrong(text: str, why: str) -> None:
    with pytest.raises(InvalidHours) as error:
        parse_hours(text)
    assert why in str(error.value)


@pytest.mark.parametrize(
    ("hours", "zone", "now", "then"),
    [
        ("Mon-Fri 8-18", "UTC", "2026-11-20T18:00Z", "2026-11-23T08:00Z"),
        ("Mon-Fri 8-18", "UTC", "2026-11-20T17:59:59Z", "2026-11-20T17:59:59Z"),
        ("Mon-Fri 8-18", "Europe/Berlin", "2026-03-27T20:00Z", "2026-03-30T06:00Z"),
        ("Sun 02:30-05:00", "Europe/Berlin", "2026-03-29T00:00Z", "2026-03-29T01:00Z"),
        ("Sun 02:10-02:50", "Europe/Berlin", "2026-03-29T00:00Z", "2026-04-05T00:10Z"),
        ("Sun 02:10-02:50", "Europe/Berlin", "2026-10-25T00:55Z", "2026-10-25T01:10Z"),
        ("Fri", "Pacific/Apia", "2011-12-29T12:00Z", "2012-01-05T10:00Z"),
        ("22-6", "UTC", "2026-11-20T05:59Z", "2026-11-20T05:59Z"),
    ],
)
def test_what_waits_is_sent_when_the_clocks_show_its_hours(
    hours: str, zone: str, now: str, then: str
) -> None:
    assert next_open(parse_hours(hours), zone, ms(now)) == ms(then)


@given(some_hours(), st.sampled_from(ZONES), MOMENTS)
def test_the_next_moment_is_the_first_whose_clocks_show_the_hours(
    text: str, zone: str, now: int
) -> None:
    hours = parse_hours(text)
    found = next_open(hours, zone, now)

    def shows(moment: int) -> bool:
        here = datetime.fromtimestamp(moment / 1000, UTC).astimezone(ZoneInfo(zone))
        minute = here.weekday() * DAY + here.hour * 60 + here.minute
        return any(begin <= minute < end for begin, end in hours)

    assert found >= now
    assert shows(found)
    quarter = 15 * MINUTE_MS
    first = -(-now // quarter) * quarter
    assert not any(
        shows(moment) for moment in (now, *range(first, found, quarter)) if moment < found
    )
    assert next_open(hours, zone, found) == found
