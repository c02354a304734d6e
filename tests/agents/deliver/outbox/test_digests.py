"""When digests are due: at an hour of a time zone, through changes of its clocks."""

from datetime import UTC, datetime, time, timedelta
from zoneinfo import ZoneInfo

import pytest
from hypothesis import given
from hypothesis import strategies as st

from schemas.records.channels import PERIODS, Digest
from streams.agents.deliver.outbox.times import next_digest

ZONES = (
    *("UTC", "Europe/Berlin", "America/New_York", "America/Sao_Paulo", "Asia/Kolkata"),
    *("Australia/Lord_Howe", "Asia/Beirut", "America/Havana", "Pacific/Apia", "Africa/Casablanca"),
)
"""Some change their clocks at midnight, by half an hour, or left out a day."""
MINUTE_MS, DAY_MS = 60_000, 86_400_000
MOMENTS = st.integers(1_262_304_000, 2_000_000_000).map(lambda seconds: seconds * 1000)
DIGESTS = st.builds(
    Digest, st.sampled_from(PERIODS), st.integers(0, 23), st.sampled_from(ZONES), st.integers(0, 6)
)


def ms(text: str) -> int:
    return round(datetime.fromisoformat(text).timestamp() * 1000)


@pytest.mark.parametrize(
    ("digest", "now", "then"),
    [
        (Digest("daily"), "2026-01-31T07:59:59Z", "2026-01-31T08:00Z"),
        (Digest("daily"), "2026-01-31T08:00Z", "2026-02-01T08:00Z"),
        (Digest("daily", 18, "Europe/Berlin"), "2026-03-28T17:00Z", "2026-03-29T16:00Z"),
        (Digest("daily", 2, "Europe/Berlin"), "2026-03-28T12:00Z", "2026-03-29T01:00Z"),
        (Digest("daily", 2, "Europe/Berlin"), "2026-10-24T12:00Z", "2026-10-25T00:00Z"),
        (Digest("daily", 2, "Europe/Berlin"), "2026-10-25T00:30Z", "2026-10-26T01:00Z"),
        (Digest("weekly", 8, "UTC", 0), "2026-11-23T08:00Z", "2026-11-30T08:00Z"),
        (Digest("weekly", 8, "Asia/Tokyo", 6), "2026-12-31T00:00Z", "2027-01-02T23:00Z"),
    ],
)
def test_a_digest_is_due_at_its_hour_and_skipped_or_repeated_hours_have_one(
    digest: Digest, now: str, then: str
) -> None:
    assert next_digest(digest, ms(now)) == ms(then)


@given(DIGESTS, MOMENTS)
def test_a_digest_is_the_first_moment_at_which_the_clocks_of_its_zone_reach_its_hour(
    digest: Digest, now: int
) -> None:
    zone, due = ZoneInfo(digest.timezone), next_digest(digest, now)
    assert now < due

    def reaches(moment: int) -> bool:
        """Whether the clocks show the hour, or jump over it, for the first time that day."""
        here, before = (
            datetime.fromtimestamp(at / 1000, UTC).astimezone(zone).replace(tzinfo=None)
            for at in (moment, moment - MINUTE_MS)
        )
        days = {here.date() - timedelta(days) for days in range(3)}
        aims = (datetime.combine(day, time(digest.hour)) for day in days)
        return any(
            before < aim <= here and (digest.period == "daily" or aim.weekday() == digest.weekday)
            for aim in aims
            if not was_reached_before(aim, moment)
        )

    def was_reached_before(aim: datetime, moment: int) -> bool:
        return round(aim.replace(tzinfo=zone).timestamp() * 1000) < moment

    assert reaches(due)
    quarter = 15 * MINUTE_MS
    first = -(-(now + 1) // quarter) * quarter
    assert not any(reaches(moment) for moment in range(first, due, quarter))


@given(DIGESTS, MOMENTS)
def test_until_a_digest_is_due_it_stays_the_next_and_each_day_or_week_has_one(
    digest: Digest, now: int
) -> None:
    due = next_digest(digest, now)
    assert next_digest(digest, due - 1) == due
    following = next_digest(digest, due)
    days = 1 if digest.period == "daily" else 7
    # Samoa left out a day, and its digest.
    assert (days - 1) * DAY_MS - 3 * 3_600_000 < following - due <= (days + 1) * DAY_MS
