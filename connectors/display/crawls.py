"""What people are shown of a crawl."""

from schemas.records.crawls import MANAGER_IS_FULL, MAX_WITHOUT_ROOM


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
