"""How many notifications a subscription was sent at once in its present day."""

from collections.abc import Iterable
from datetime import datetime, time, timedelta
from zoneinfo import ZoneInfo

from schemas.records.table_rows import DayCount
from streams.agents.deliver.outbox.queues import SLOTS_PER_RECIPIENT

MOST_DAYS = 100_000
"""Subscriptions of one partition that are counted; with more, the longest ago is dropped."""
KEPT_IDS = 2 * SLOTS_PER_RECIPIENT
"""Notifications of a subscription that may be handled again after a crash, and count once."""


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
    """The subscriptions of one partition that were notified in their present day, by their ids."""

    def __init__(self, most: int = MOST_DAYS) -> None:
        """Start empty; count ``most`` subscriptions."""
        self._most = most
        # In the order in which they were notified last.
        self._counts: dict[str, DayCount] = {}

    def __len__(self) -> int:
        """Count the subscriptions."""
        return len(self._counts)

    def load(self, rows: Iterable[tuple[str, DayCount]]) -> None:
        """Load all rows, in any order."""
        self._counts = dict(sorted(rows, key=lambda row: row[1].until))

    def is_over(self, subscription: str, notification: str, most: int, now: int) -> bool:
        """Whether ``most`` others were sent on the day that it is now (epoch ms)."""
        known = self._counts.get(subscription)
        if known is None or known.until <= now or notification in known.last:
            return False
        return known.sent >= most

    def get(self, subscription: str) -> DayCount | None:
        """Return the count of a subscription, None if there is none or it was dropped."""
        return self._counts.get(subscription)

    def note(self, subscription: str, notification: str, end: int) -> DayCount:
        """Note that one is sent on the day that ends at a time (epoch ms), once for each id."""
        known = self._counts.pop(subscription, None)
        if known is None or known.until != end:
            known = DayCount(end, 0, ())
        if notification not in known.last:
            last = (*known.last, notification)[-KEPT_IDS:]
            known = DayCount(end, known.sent + 1, last)
        self._counts[subscription] = known
        return known

    def forget(self, now: int) -> str | None:
        """Drop the one notified longest ago if its day has ended (epoch ms), or one too many."""
        oldest = next(iter(self._counts), None)
        if oldest is None:
            return None
        if self._counts[oldest].until > now and len(self._counts) <= self._most:
            return None
        del self._counts[oldest]
        return oldest
