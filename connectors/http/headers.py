"""Values of response headers."""

import re
from collections.abc import Sequence
from datetime import UTC
from email.utils import parsedate_to_datetime

MAX_RETRY_AFTER_S = 24 * 3600
MAX_AGE_S = 24 * 3600

_MAX_AGE_PATTERN = re.compile(r'(?:^|[,\s])max-age\s*=\s*"?([0-9]{1,10})', re.IGNORECASE)


def ascii_only(value: str | None) -> str | None:
    """Drop a header that is not ASCII, because it could not be sent back unchanged."""
    return value if value is not None and value.isascii() else None


def last_content_type(values: Sequence[str]) -> str | None:
    """Return the last of several content types, as browsers do (Fetch, "extract a MIME type").

    It keeps the charset of one before that is of the same type.

    >>> last_content_type(["text/plain", "text/html; charset=utf-8, text/html"])
    'text/html; charset=utf-8'
    """
    if len(values) == 1 and "," not in values[0]:
        return values[0]
    types = [each.strip() for value in values for each in value.split(",") if "/" in each]
    if len(types) < 2 or "*/*" in types:
        return values[0] if values else None
    alike = [each for each in types if _essence(each) == _essence(types[-1])]
    return next((each for each in reversed(alike) if "charset" in each.lower()), types[-1])


def _essence(content_type: str) -> str:
    return content_type.partition(";")[0].strip().lower()


def parse_retry_after(value: str | None, now: float) -> int | None:
    """Parse Retry-After (RFC 9110, 10.2.3), a number of seconds or a date.

    ``now`` is in epoch seconds. Returns seconds, at most 24 hours, or None for anything else.

    >>> parse_retry_after("120", now=0)
    120
    """
    if value is None:
        return None
    text = value.strip()
    try:
        if text.isascii() and text.isdigit():
            seconds = int(text[:10])
        else:
            date = parsedate_to_datetime(text)
            seconds = round(date.replace(tzinfo=date.tzinfo or UTC).timestamp() - now)
    except (ValueError, OverflowError):
        return None
    return min(max(seconds, 0), MAX_RETRY_AFTER_S)


def parse_max_age(value: str | None) -> int | None:
    """Parse max-age (RFC 9111, 5.2.2.1); seconds, at most 24 hours, None without one.

    >>> parse_max_age("public, max-age=600")
    600
    """
    found = _MAX_AGE_PATTERN.search(value or "")
    return min(int(found[1]), MAX_AGE_S) if found else None
