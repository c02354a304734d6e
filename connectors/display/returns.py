"""That a page went back to a text that it had before."""

from datetime import UTC, datetime

from schemas.records.changes import Returned


def returned_text(returned: Returned) -> str:
    """Return since when, and how often, a page has had a text.

    >>> returned_text(Returned(since=1_700_000_000_000, times=3))
    'returned to a text that it first had on 2023-11-14 22:13 UTC (3rd time)'
    """
    since = datetime.fromtimestamp(returned.since / 1000, UTC)
    often = f"{ordinal(returned.times)} time"
    return f"returned to a text that it first had on {since:%Y-%m-%d %H:%M} UTC ({often})"


def ordinal(number: int) -> str:
    """Return a number as one counts.

    >>> [ordinal(number) for number in (1, 2, 3, 4, 11, 12, 21, 113)]
    ['1st', '2nd', '3rd', '4th', '11th', '12th', '21st', '113th']
    """
    if number % 100 in {11, 12, 13}:
        return f"{number}th"
    return f"{number}{({1: 'st', 2: 'nd', 3: 'rd'}).get(number % 10, 'th')}"
