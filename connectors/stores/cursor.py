"""Places in a listing, which goes by time, then id."""

LATEST = 10**18
"""Later than all times (epoch ms)."""


def written(at: int, name: str) -> str:
    """The cursor of what follows this item; ``at`` is in epoch ms."""
    return f"{at}-{name}"


def read(cursor: str | None, first: int = -1) -> tuple[int, str]:
    """Time and id after which a page begins; ValueError for what is no cursor.

    The first page begins after ``first``: -1 upwards, LATEST downwards.
    """
    if cursor is None:
        return first, ""
    at, dash, last = cursor.partition("-")
    if not dash or not (at.isascii() and at.isdigit() and len(at) < 19):
        raise ValueError(f"not a cursor of this listing: {cursor!r}")
    return int(at), last
