"""When a subscription wants to be notified, for people."""

from schemas.records.delivery_times import DeliveryTimes
from schemas.records.subscriptions import Options


def times_text(options: Options) -> str:
    """Return when a subscription is notified; empty if at any time.

    >>> times_text(Options(hours="8-18", max_per_day=5, timezone="Asia/Tokyo"))
    'at 8-18, at most 5 a day (Asia/Tokyo)'
    """
    parts = [f"at {options.hours}"] if options.hours else []
    parts += [f"at most {options.max_per_day} a day"] if options.max_per_day else []
    zone = options.timezone or DeliveryTimes().timezone
    return f"{', '.join(parts)} ({zone})" if parts else ""
