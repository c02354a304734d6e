"""Times as the API writes them."""

from datetime import UTC, datetime


def rfc3339(time: int) -> str:
    """Write a time (epoch ms) in UTC, as RFC 3339 has it."""
    moment = datetime.fromtimestamp(time / 1000, UTC)
    return moment.isoformat(timespec="milliseconds").replace("+00:00", "Z")
