"""The times wanted for notifications, and the reasons to wait for them."""

from dataclasses import dataclass

from schemas.records.field_types import Count, Hours, Name, Text, Time


@dataclass(frozen=True, slots=True)
class DeliveryTimes:
    """When the notifications of a subscription may be sent: at ``hours`` of a ``timezone``.

    The time zone has its IANA name; without hours, any time is right. At most ``max_per_day`` are
    sent at once on a day of the time zone, 0: any number.

    >>> DeliveryTimes("Mon-Fri 08:00-18:00", "Europe/Berlin").hours
    'Mon-Fri 08:00-18:00'
    """

    hours: Hours = ""
    timezone: Name = "UTC"
    max_per_day: Count = 0


@dataclass(frozen=True, slots=True)
class Held:
    """The wait of a notification not sent at once: ``since`` a time ``until`` another."""

    since: Time
    until: Time
    reason: Text
