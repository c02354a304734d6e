"""Times and numbers as the language of a context writes them.

English keeps times of ISO 8601, which everybody reads alike.
"""

from datetime import date, datetime
from functools import lru_cache

from connectors.languages.texts import ENGLISH, current_language, written_number
from schemas.codec.times import rfc3339

MAX_TIMES = 4_096
"""The most written times remembered."""


def minute(time: str) -> str:
    """Return a time (RFC 3339, in UTC) to the minute.

    >>> minute("2023-11-14T22:13:20Z")
    '2023-11-14 22:13 UTC'
    """
    language = current_language()
    if language is ENGLISH:
        return f"{time[:10]} {time[11:16]} UTC"
    return _minute(time[:16], language.locale)


def minute_of(time: int) -> str:
    """Return a time (epoch ms) to the minute."""
    return minute(rfc3339(time))


def second(time: str) -> str:
    """Return a time (RFC 3339, in UTC) to the second.

    >>> second("2023-11-14T22:13:20Z")
    '2023-11-14 22:13:20 UTC'
    """
    language = current_language()
    if language is ENGLISH:
        return f"{time[:10]} {time[11:19]} UTC"
    from babel.dates import format_datetime  # noqa: PLC0415

    written = format_datetime(datetime.fromisoformat(time[:19]), locale=language.locale)
    return f"{written} UTC"


def date_of(time: str) -> str:
    """Return the date of a time (RFC 3339, in UTC).

    >>> date_of("2023-11-14T22:13:20Z")
    '2023-11-14'
    """
    language = current_language()
    if language is ENGLISH:
        return time[:10]
    from babel.dates import format_date  # noqa: PLC0415

    return format_date(date.fromisoformat(time[:10]), locale=language.locale)


@lru_cache(MAX_TIMES)
def _minute(time: str, locale: str) -> str:
    from babel.dates import format_datetime  # noqa: PLC0415  # English needs no Babel

    return f"{format_datetime(datetime.fromisoformat(time), 'short', locale=locale)} UTC"


def day(of: date) -> str:
    """Return a day of a known year.

    >>> day(date(2024, 1, 3))
    '3 January'
    """
    language = current_language()
    if language is ENGLISH:
        return f"{of.day} {of:%B}"
    from babel.dates import format_skeleton  # noqa: PLC0415

    return format_skeleton("MMMMd", of, locale=language.locale)


def day_and_minute(at: datetime) -> str:
    """Return a time to the minute in its time zone, with the day of the week.

    >>> day_and_minute(datetime.fromisoformat("2023-11-14T22:13Z"))
    'Tuesday 14 November 2023, 22:13 UTC'
    """
    language = current_language()
    if language is ENGLISH:
        return f"{at:%A %d %B %Y, %H:%M %Z}"
    from babel.dates import format_date, format_time  # noqa: PLC0415

    where = language.locale
    return f"{format_date(at, 'full', where)}, {format_time(at, 'short', locale=where)} {at:%Z}"


def weekday(name: str) -> str:
    """Return the name of a day of the week, given in English.

    >>> weekday("monday")
    'Monday'
    """
    language = current_language()
    if language is ENGLISH:
        return name.capitalize()
    from babel.dates import get_day_names  # noqa: PLC0415

    order = ("monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday")
    return str(get_day_names(locale=language.locale)[order.index(name)])


def number(value: int) -> str:
    """Return a whole number.

    >>> number(1_200)
    '1,200'
    """
    return written_number(value, current_language())
