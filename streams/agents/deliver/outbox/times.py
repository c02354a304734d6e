"""When a notification may be sent, by the times that its subscription has chosen."""

from dataclasses import replace

from schemas.records.delivery_times import DeliveryTimes, Held
from schemas.records.notifications import Notification
from streams.agents.deliver.outbox.daily_limit import day_end
from streams.values.hours import next_open, parse_hours


def waits_for_hours(fact: Notification, now: int, earliest: int | None = None) -> Held | None:
    """Return until when a notification waits for its hours; None if it may be sent.

    It may be sent from ``earliest`` on, by default at once. Times are in epoch ms. Of one that
    has waited before, the beginning stays. Raises InvalidHours and ZoneInfoNotFoundError.
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
    """Return until when somebody with such hours waits for what comes at a moment (epoch ms).

    None if it is within them. Raises InvalidHours and ZoneInfoNotFoundError.

    >>> outside_hours(DeliveryTimes("8-18"), 0)
    Held(since=0, until=28800000, reason='its hours are 8-18 (UTC)')
    """
    if times is None or not times.hours:
        return None
    until = next_open(parse_hours(times.hours), times.timezone, moment)
    reason = f"its hours are {times.hours} ({times.timezone})"
    return None if until == moment else Held(moment, until, reason)
