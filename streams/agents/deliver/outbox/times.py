"""Decide when a notification may be sent: by hours, digests, and the limit of a day."""

from collections.abc import Iterable
from dataclasses import replace
from datetime import datetime, time, timedelta
from zoneinfo import ZoneInfo

from schemas.records.channels import Digest
from schemas.records.delivery_times import DeliveryTimes, Held
from schemas.records.notifications import Notification
from schemas.records.table_rows import DayCount
from streams.agents.deliver.outbox.queues import SLOTS_PER_RECIPIENT
from streams.agents.deliver.outbox.recipients import pop_oldest
from streams.values.hours import next_open, parse_hours

MOST_DAYS = 100_000
"""Counted subscriptions of a partition; with more, the oldest is dropped."""
KEPT_IDS = 2 * SLOTS_PER_RECIPIENT
"""Notifications of a subscription possibly repeated after a crash, which count once."""

_DAYS = range(-1, 9)
"""Around today, so each weekday is among them."""


def day_end(timezone: str, now: int) -> int:
    """Return when the day of a time zone ends, both in epoch ms; raises ZoneInfoNotFoundError.

    >>> day_end("Europe/Berlin", 0) // 3_600_000
    23
    """
    zone = ZoneInfo(timezone)
    today = datetime.fromtimestamp(now / 1000, zone).date()
    # With fold=0 a midnight that the clocks skip is the moment at which they do.
    midnight = datetime.combine(today + timedelta(days=1), time(), zone)
    return round(midnight.timestamp() * 1000)


class DayCounts:
    """The subscriptions of a partition notified in their present day, by their ids."""

    def __init__(self, most: int = MOST_DAYS) -> None:
        """Start empty; count ``most`` subscriptions."""
        self._most = most
        # In the order in which they were notified last.
        self._counts: dict[str, DayCount] = {}

    def load(self, rows: Iterable[tuple[str, DayCount]]) -> None:
        """Load all rows, in any order."""
        self._counts = dict(sorted(rows, key=lambda row: row[1].until))

    def is_over(self, subscription: str, notification: str, most: int, now: int) -> bool:
        """Whether ``most`` others were sent on the present day (epoch ms)."""
        known = self._counts.get(subscription)
        if known is None or known.until <= now or notification in known.last:
            return False
        return known.sent >= most

    def get(self, subscription: str) -> DayCount | None:
        """Return the count of a subscription, None if missing or dropped."""
        return self._counts.get(subscription)

    def note(self, subscription: str, notification: str, end: int) -> DayCount:
        """Note a notification of the day with this end (epoch ms), once for each id."""
        known = self._counts.pop(subscription, None)
        if known is None or known.until != end:
            known = DayCount(end, 0, ())
        if notification not in known.last:
            last = (*known.last, notification)[-KEPT_IDS:]
            known = DayCount(end, known.sent + 1, last)
        self._counts[subscription] = known
        return known

    def forget(self, now: int) -> str | None:
        """Drop the oldest count if its day has ended (epoch ms), or beyond the limit."""
        return pop_oldest(self._counts, self._most, lambda count: count.until <= now)


def next_digest(digest: Digest, now: int) -> int:
    """Return when the first digest after ``now`` is due, both in epoch ms.

    On a day without the hour the digest is due after the gap; on a day with the hour twice, at the
    first. Raises ZoneInfoNotFoundError.

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


def waits_for_hours(fact: Notification, now: int, earliest: int | None = None) -> Held | None:
    """Return the end of a notification's wait for its hours; None if free to go.

    The notification may be sent from ``earliest`` on, by default at once. Times are in epoch ms.
    The begin of an earlier wait stays. Raises InvalidHours and ZoneInfoNotFoundError.
    """
    held = None if fact.test else outside_hours(fact.times, now if earliest is None else earliest)
    if held is None:
        return None
    return replace(held, since=fact.held.since if fact.held is not None else now)


def over_limit(fact: Notification, now: int) -> Held:
    """Return until when a notification waits after as many on a day as its subscription wants.

    Times are in epoch ms. Raises InvalidHours and ZoneInfoNotFoundError.
    """
    assert fact.times is not None, "only then it has a limit"
    end = day_end(fact.times.timezone, now)
    later = outside_hours(fact.times, end)
    count = fact.times.max_per_day
    reason = f"{count} {'was' if count == 1 else 'were'} sent on that day, as many as it wants"
    return Held(now, end if later is None else later.until, reason)


def outside_hours(times: DeliveryTimes | None, moment: int) -> Held | None:
    """Return the end of a wait by such hours at a moment (epoch ms).

    None within the hours. Raises InvalidHours and ZoneInfoNotFoundError.

    >>> outside_hours(DeliveryTimes("8-18"), 0)
    Held(since=0, until=28800000, reason='its hours are 8-18 (UTC)')
    """
    if times is None or not times.hours:
        return None
    until = next_open(parse_hours(times.hours), times.timezone, moment)
    reason = f"its hours are {times.hours} ({times.timezone})"
    return None if until == moment else Held(moment, until, reason)
