"""When the next digest of a channel is due."""

from datetime import datetime, time, timedelta
from zoneinfo import ZoneInfo

from schemas.records.channels import Digest

_DAYS = range(-1, 9)
"""Around today, so that each weekday is among them."""


def next_digest(digest: Digest, now: int) -> int:
    """Return when the first digest after ``now`` is due, both in epoch ms.

    On a day whose clocks skip the hour it is due when they have; on one that has the hour twice,
    at the first. Raises ZoneInfoNotFoundError.

    >>> next_digest(Digest("daily", hour=8), 1_700_000_000_000) - 1_700_000_000_000
    35200000
    """
    zone = ZoneInfo(digest.timezone)
    today = datetime.fromtimestamp(now / 1000, zone).date()
    days = (today + timedelta(days) for days in _DAYS)
    # With fold=0 a time that does not exist counts from before the gap, thus is as long after it.
    moments = (
        round(datetime.combine(day, time(digest.hour), zone).timestamp() * 1000)
        for day in days
        if digest.period == "daily" or day.weekday() == digest.weekday
    )
    return next(moment for moment in moments if moment > now)
