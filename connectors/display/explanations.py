"""Sentences that explain a notification: why it is sent, what returned, stood or was held."""

from collections.abc import Callable, Iterable
from datetime import UTC, datetime

from connectors.display.plain import harmless
from schemas.codec.times import minute_utc
from schemas.records.changes import Returned
from schemas.records.delivery_times import Held
from schemas.records.notifications import Notification
from schemas.records.numbers import NumberNews
from schemas.records.waiting import Stood


def stood_text(stood: Stood) -> str:
    """Return since when a change has stood, and how many visits found it.

    >>> stood_text(Stood(since=1_700_000_000_000, visits=3))
    'has stood since 2023-11-14 22:13 UTC, at 3 visits'
    """
    since = datetime.fromtimestamp(stood.since / 1000, UTC)
    visits = "1 visit" if stood.visits == 1 else f"{stood.visits} visits"
    return f"has stood since {since:%Y-%m-%d %H:%M} UTC, at {visits}"


def held_text(held: Held) -> str:
    """Return since when a notification waited, and for what.

    >>> held_text(Held(1_700_000_000_000, 1_700_035_200_000, "its hours are 8-18 (UTC)"))
    'waited since 2023-11-14 22:13 UTC: its hours are 8-18 (UTC)'
    """
    return f"waited since {minute_utc(held.since)}: {held.reason}"


MAX_KEYWORDS = 8
"""Keywords of a notification that are named."""
_UNREAD = frozenset({"failing", "recovered", "lost", "found"})
_PAGES = frozenset({"pageAdded", "pageRemoved"})


def wanted_text(fact: Notification, named: Callable[[str], str] = str) -> str:
    """Say what of a notification its subscriber asked for; empty if nobody has to ask for it.

    A number says by itself which condition it meets. ``named`` returns a keyword as it is shown.
    """
    if fact.status in _UNREAD:
        return "You asked to be notified when a page cannot be read."
    if fact.status in _PAGES:
        return "You watch which pages there are."
    keywords = (diff.keyword for diff in fact.diffs)
    return _keywords_text(keywords, named) if fact.number is None else ""


def _keywords_text(keywords: Iterable[str], named: Callable[[str], str]) -> str:
    known = list(dict.fromkeys(keywords))
    if not known:
        return ""
    more = len(known) - MAX_KEYWORDS
    names = ["any change" if each == "*" else named(each) for each in known[:MAX_KEYWORDS]]
    return f"You watch it for: {', '.join(names)}{f' and {more} more' if more > 0 else ''}."


def notes_of(fact: Notification) -> list[str]:
    """Return the sentences that explain a notification of a change."""
    notes = judgement_lines(fact)
    if fact.history:
        notes.append(f"From the history: this changed at {minute_utc(fact.at)}.")
    if fact.returned is not None:
        notes.append(f"The page {returned_text(fact.returned)}.")
    if fact.number is not None:
        notes.append(number_text(fact.number))
    if fact.stood is not None:
        notes.append(f"What changed {stood_text(fact.stood)}.")
    if fact.held is not None:
        notes.append(f"This {held_text(fact.held)}.")
    return notes


def judgement_lines(fact: Notification) -> list[str]:
    """Return what a language model says of a notification: its summary, and why it passes."""
    lines = [harmless(line) for line in fact.summary.splitlines()]
    if fact.because:
        lines.append(f"By your rule ({fact.verdict}): {harmless(fact.because)}")
    elif fact.verdict:
        lines.append(f"{fact.verdict[:1].upper()}{harmless(fact.verdict[1:])}.")
    return lines


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


def number_text(number: NumberNews) -> str:
    """Return what a number was and is, and why that is notified.

    >>> number_text(NumberNews("21", "19.90", "EUR", ("below 20 EUR",)))
    '21 → 19.90 EUR: below 20 EUR'
    """
    change = f"{number.before} → {number.after} {number.unit}".rstrip()
    return ": ".join(filter(None, (change, "; ".join(number.why))))
