"""Texts about a subscription, for people: what it wants, when, and what its crawl left out."""

from schemas.records.crawls import MANAGER_IS_FULL, MAX_WITHOUT_ROOM
from schemas.records.delivery_times import DeliveryTimes
from schemas.records.subscriptions import Options, Subscription


def wanted(subscription: Subscription) -> tuple[str, ...]:
    """Return the keywords of a subscription, or its number with the conditions, or its stock."""
    options = subscription.options
    if options.view.stock and subscription.keywords == ("*",):
        return ("in stock or not",)
    if options.view.number is None:
        return subscription.keywords
    return (f"a number {options.when}" if options.when.are_set else "a number",)


def times_text(options: Options) -> str:
    """Return when a subscription is notified; empty if at any time.

    >>> times_text(Options(hours="8-18", max_per_day=5, timezone="Asia/Tokyo"))
    'at 8-18, at most 5 a day (Asia/Tokyo)'
    """
    parts = [f"at {options.hours}"] if options.hours else []
    parts += [f"at most {options.max_per_day} a day"] if options.max_per_day else []
    zone = options.timezone or DeliveryTimes().timezone
    return f"{', '.join(parts)} ({zone})" if parts else ""


def without_room_text(count: int) -> str:
    """Say how many pages a crawl has left out because its manager has no room, and why.

    >>> without_room_text(1).partition(":")[0]
    '1 page is left out'
    """
    if count == 1:
        pages = "1 page is"
    else:
        pages = f"{count:,} pages{' or more' if count == MAX_WITHOUT_ROOM else ''} are"
    return f"{pages} left out: {MANAGER_IS_FULL}"
