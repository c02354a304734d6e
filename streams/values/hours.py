"""The hours at which a client wants to be notified, such as ``Mon-Fri 08:00-18:00``.

Words are days, ranges of days, or ranges of times. A day after a time begins a new rule, so commas
and semicolons are no more than blanks, but that a semicolon ends a rule without times.
"""

import re
from bisect import bisect_right
from collections.abc import Iterator, Sequence
from datetime import UTC, date, datetime, time, timedelta
from functools import lru_cache
from itertools import product
from zoneinfo import ZoneInfo

from schemas.records.channels import WEEKDAYS

Hours = tuple[tuple[int, int], ...]
"""Times of a week, from a minute after its beginning (Monday 00:00) to another, in order."""

_DAY, _WEEK = 24 * 60, 7 * 24 * 60
"""Minutes."""
_DAYS = range(-1, 16)
"""Around today: a gap of the clocks can take all hours of a week."""
_TIMES = re.compile(r"(\d{1,2})(?::(\d{2}))?-(\d{1,2})(?::(\d{2}))?")
_DASH = re.compile(r"\s*[-\u2013]\s*")
"""Word processors write another one."""
_SHORTEST = 3
"""Letters of a day's name."""
EXPECTED = "days and times are expected, such as Mon-Fri 08:00-18:00 or Sat,Sun 10:00-14:00"


class InvalidHours(ValueError):
    """A text names no hours; the message says why."""


@lru_cache(1_000)
def parse_hours(text: str) -> Hours:
    """Read hours as a client writes them; raises InvalidHours.

    >>> parse_hours("Mon 08:00-12:30, 22-2")
    ((480, 750), (1320, 1560))
    """
    found: list[tuple[int, int]] = []
    for rule in _DASH.sub("-", text).split(";"):
        found += _rules(re.split(r"[,\s]+", rule.strip(", \t\n")))
    merged: list[tuple[int, int]] = []
    for begin, end in sorted(found):
        if merged and begin <= merged[-1][1]:
            merged[-1] = merged[-1][0], max(end, merged[-1][1])
        else:
            merged.append((begin, end))
    return tuple(merged)


def next_open(hours: Hours, timezone: str, now: int) -> int:
    """Return the first moment from ``now`` on at which the clocks of a zone show such a time.

    Both in epoch ms. What the clocks skip is not there, and what they repeat is there twice.
    Raises ZoneInfoNotFoundError.

    >>> next_open(parse_hours("8-18"), "UTC", 0) // 3_600_000
    8
    """
    zone = ZoneInfo(timezone)
    if _is_open(hours, now, zone):
        return now
    today = datetime.fromtimestamp(now / 1000, zone).date()
    days = [today + timedelta(each) for each in _DAYS]
    candidates = sorted({*_beginnings(hours, days, zone), *_gaps(days, zone)})
    return next(each for each in candidates if each > now and _is_open(hours, each, zone))


def _rules(words: Sequence[str]) -> Iterator[tuple[int, int]]:
    days, times = list[int](), list[tuple[int, int]]()
    for word in words:
        if (found := _TIMES.fullmatch(word)) is not None:
            times.append(_times(word, *found.groups()))
            continue
        if times:
            yield from _of_days(days, times)
            days, times = [], []
        days += _days(word)
    yield from _of_days(days, times)


def _of_days(days: Sequence[int], times: Sequence[tuple[int, int]]) -> Iterator[tuple[int, int]]:
    for day, (begin, end) in product(days or range(7), times or [(0, _DAY)]):
        first, last = day * _DAY + begin, day * _DAY + end
        yield first, min(last, _WEEK)
        if last > _WEEK:
            yield 0, last - _WEEK


def _days(word: str) -> list[int]:
    if not word:
        raise InvalidHours(EXPECTED)
    first, _, last = word.partition("-")
    begin, end = _day(first, word), _day(last or first, word)
    return [day % 7 for day in range(begin, end + 1 if end >= begin else end + 8)]


def _day(name: str, word: str) -> int:
    found = [
        number
        for number, day in enumerate(WEEKDAYS)
        if len(name) >= _SHORTEST and day.startswith(name.lower())
    ]
    if not found:
        raise InvalidHours(f"{EXPECTED}, not {word[:50]!r}")
    return found[0]


def _times(word: str, *parts: str | None) -> tuple[int, int]:
    begin_hour, begin_minute, end_hour, end_minute = (int(each or 0) for each in parts)
    begin, end = 60 * begin_hour + begin_minute, 60 * end_hour + end_minute
    if max(begin_minute, end_minute) > 59 or begin >= _DAY or end > _DAY:
        raise InvalidHours(f"times from 00:00 to 24:00 are expected, not {word[:50]!r}")
    if begin == end:
        raise InvalidHours(f"{word[:50]!r} has no end: a day is 00:00-24:00")
    return begin, end if end > begin else end + _DAY


def _is_open(hours: Hours, moment: int, zone: ZoneInfo) -> bool:
    shown = datetime.fromtimestamp(moment / 1000, zone)
    minute = shown.weekday() * _DAY + shown.hour * 60 + shown.minute
    at = bisect_right(hours, (minute, _WEEK)) - 1
    return at >= 0 and minute < hours[at][1]


def _beginnings(hours: Hours, days: Sequence[date], zone: ZoneInfo) -> Iterator[int]:
    for day, fold in product(days, (0, 1)):
        for begin, _ in hours:
            if begin // _DAY == day.weekday():
                clock = time(*divmod(begin % _DAY, 60), fold=fold)
                yield round(datetime.combine(day, clock, zone).timestamp() * 1000)


def _gaps(days: Sequence[date], zone: ZoneInfo) -> Iterator[int]:
    """Yield when the clocks change, to the minute: they may skip a beginning."""
    for day in days:
        first = int(datetime(day.year, day.month, day.day, tzinfo=UTC).timestamp()) // 60
        last = first + _DAY
        if _offset(first, zone) == _offset(last, zone):
            continue
        middle = bisect_right(
            range(first, last), 0, key=lambda minute: _offset(minute, zone) != _offset(first, zone)
        )
        yield (first + middle) * 60_000


def _offset(minute: int, zone: ZoneInfo) -> timedelta | None:
    return datetime.fromtimestamp(minute * 60, zone).utcoffset()
