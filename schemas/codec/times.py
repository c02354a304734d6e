"""Times in JSON: RFC 3339."""

from datetime import UTC, datetime, timedelta


def rfc3339(time: int) -> str:
    """Format a time (epoch ms) in UTC as in RFC 3339.

    >>> rfc3339(0)
    '1970-01-01T00:00:00.000Z'
    """
    moment = datetime.fromtimestamp(time / 1000, UTC)
    return moment.isoformat(timespec="milliseconds").replace("+00:00", "Z")


def minute_utc(time: int) -> str:
    """Format a time (epoch ms) in UTC to the minute, for people.

    >>> minute_utc(0)
    '1970-01-01 00:00 UTC'
    """
    return f"{datetime.fromtimestamp(time / 1000, UTC):%Y-%m-%d %H:%M} UTC"


_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)


def epoch_ms(text: str) -> int:
    """Parse a time with a zone, as in RFC 3339, into epoch ms; raises ValueError.

    >>> epoch_ms("1970-01-01T01:00:00+01:00")
    0
    """
    try:
        moment = datetime.fromisoformat(text)
        if moment.tzinfo is None:
            raise ValueError(f"without a zone: {text!r}")
        # In UTC, the first and the last hours of the calendar may be in no year of it.
        return (moment.astimezone(UTC) - _EPOCH) // timedelta(milliseconds=1)
    except OverflowError as error:
        raise ValueError(str(error)) from None
