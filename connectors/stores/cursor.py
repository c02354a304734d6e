"""Places in a listing of subscriptions, which goes by time of creation, then id."""


def written(created: int, name: str) -> str:
    """The cursor of what follows this subscription; ``created`` is in epoch ms."""
    return f"{created}-{name}"


def read(cursor: str | None) -> tuple[int, str]:
    """Time and id after which a page begins; ValueError for what is no cursor."""
    if cursor is None:
        return -1, ""
    created, dash, last = cursor.partition("-")
    if not dash or not (created.isascii() and created.isdigit() and len(created) < 19):
        raise ValueError(f"not a cursor of this listing: {cursor!r}")
    return int(created), last
