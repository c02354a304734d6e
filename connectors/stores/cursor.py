"""Cursors: where a page of a listing ends, by time, then id."""

LATEST = 10**18
"""Later than all times (epoch ms)."""


def written(at: int, last_id: str) -> str:
    """Write the cursor for the items after this item; ``at`` is in epoch ms."""
    return f"{at}-{last_id}"


def read(cursor: str | None, first: int = -1) -> tuple[int, str]:
    """Parse a cursor: time and id after which a page begins. Raises ValueError.

    The first page begins after ``first``: -1 in ascending, LATEST in descending order.

    Example:
        >>> read(written(1700000000000, "s1"))
        (1700000000000, 's1')
    """
    if cursor is None:
        return first, ""
    at, dash, last = cursor.partition("-")
    if not dash or not (at.isascii() and at.isdigit() and len(at) < 19):
        raise ValueError(f"not a cursor of this listing: {cursor!r}")
    return int(at), last
