"""Times as the API writes them."""

from datetime import UTC, datetime, timedelta


def rfc3339(time: int) -> str:
    """Write a time (epoch ms) in UTC, as RFC 3339 has it."""
    moment = datetime.fromtimestamp(time / 1000, UTC)
    return moment.isoformat(timespec="milliseconds").replace("+00:00", "Z")


_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)


def epoch_ms(text: str) -> int:
    """Read such a time, in any zone (epoch ms); ValueError for what is none."""
    try:
        moment = datetime.fromisoformat(text)
        if moment.tzinfo is None:
            raise ValueError(f"without a zone: {text!r}")
        return (moment - _EPOCH) // timedelta(milliseconds=1)
    except OverflowError as error:
        raise ValueError(str(error)) from None
