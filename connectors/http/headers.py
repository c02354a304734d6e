"""Response headers as values."""

import re
from datetime import UTC
from email.utils import parsedate_to_datetime

MAX_RETRY_AFTER = 24 * 3600
MAX_AGE = 24 * 3600

_MAX_AGE = re.compile(r'(?:^|[,\s])max-age\s*=\s*"?([0-9]{1,10})', re.IGNORECASE)


def ascii_only(value: str | None) -> str | None:
    """Keep a header only when it is ASCII, so that it can be stored and sent back."""
    return value if value is not None and value.isascii() else None


def parse_retry_after(value: str | None, now: float) -> int | None:
    """Read Retry-After (RFC 9110, 10.2.3), seconds or a date, as seconds from ``now``.

    ``now`` is epoch seconds. At most 24 hours; None for what is neither.
    """
    if value is None:
        return None
    seconds = _seconds(value.strip(), now)
    return None if seconds is None else min(max(seconds, 0), MAX_RETRY_AFTER)


def parse_max_age(value: str | None) -> int | None:
    """Read how long a response stays fresh, in seconds, at most 24 hours (RFC 9111, 5.2.2.1)."""
    found = _MAX_AGE.search(value or "")
    return min(int(found[1]), MAX_AGE) if found else None


def _seconds(value: str, now: float) -> int | None:
    if value.isascii() and value.isdigit():
        return int(value[:10])
    try:
        date = parsedate_to_datetime(value)
        return round(date.replace(tzinfo=date.tzinfo or UTC).timestamp() - now)
    except (ValueError, OverflowError):
        return None
