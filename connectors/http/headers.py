"""Response headers as values."""

from datetime import UTC
from email.utils import parsedate_to_datetime

MAX_RETRY_AFTER = 24 * 3600


def plain(value: str | None) -> str | None:
    """Keep a header only when it is ASCII, so that it can be stored and sent back."""
    return value if value is not None and value.isascii() else None


def retry_after(value: str | None, now: float) -> int | None:
    """Read Retry-After (RFC 9110, 10.2.3), seconds or a date, as seconds from ``now``.

    ``now`` is epoch seconds. At most 24 hours; None for what is neither.
    """
    if value is None:
        return None
    seconds = _seconds(value.strip(), now)
    return None if seconds is None else min(max(seconds, 0), MAX_RETRY_AFTER)


def _seconds(value: str, now: float) -> int | None:
    if value.isascii() and value.isdigit():
        return int(value[:10])
    try:
        date = parsedate_to_datetime(value)
        return round(date.replace(tzinfo=date.tzinfo or UTC).timestamp() - now)
    except (ValueError, OverflowError):
        return None
