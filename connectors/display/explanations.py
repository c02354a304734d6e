"""Sentences to explain a notification: its reason, returns, patience or waits."""

from collections.abc import Callable

from connectors.display.plain import harmless
from connectors.display.reasons import reason_text, shown_reason
from connectors.languages.formats import minute_of
from connectors.languages.texts import ENGLISH, current_language, gettext, ngettext
from schemas.records.changes import Returned
from schemas.records.notifications import Notification
from schemas.records.numbers import NumberNews
from schemas.records.waiting import Stood


def stood_text(stood: Stood) -> str:
    """Return the begin of a change, and the number of visits since.

    >>> stood_text(Stood(since=1_700_000_000_000, visits=3))
    'has stood since 2023-11-14 22:13 UTC, at 3 visits'
    """
    return ngettext(
        "has stood since %(time)s, at %(num)s visit",
        "has stood since %(time)s, at %(num)s visits",
        stood.visits,
        time=minute_of(stood.since),
    )


MAX_KEYWORDS = 8
"""The most keywords of a notification to name."""
_UNREAD = frozenset({"failing", "recovered", "lost", "found"})
_PAGES = frozenset({"pageAdded", "pageRemoved"})


def wanted_text(fact: Notification, named: Callable[[str], str] = str) -> str:
    """Name the subscriber's wish met by a notification; empty if there need be none.

    A number names its condition by itself. ``named`` returns a keyword for display.
    """
    if fact.status in _UNREAD:
        return gettext("You asked to be notified when a page cannot be read.")
    if fact.status in _PAGES:
        return gettext("You watch which pages there are.")
    known = list(dict.fromkeys(diff.keyword for diff in fact.diffs))
    if fact.number is not None or not known:
        return ""
    more = len(known) - MAX_KEYWORDS
    every = gettext("any change")
    names = ", ".join(every if each == "*" else named(each) for each in known[:MAX_KEYWORDS])
    if more > 0:
        return gettext("You watch it for: %(keywords)s and %(num)s more.", keywords=names, num=more)
    return gettext("You watch it for: %(keywords)s.", keywords=names)


def notes_of(fact: Notification) -> list[str]:
    """Return the sentences to explain a notification of a change."""
    notes = judgement_lines(fact)
    if fact.history:
        at = minute_of(fact.at)
        notes.append(gettext("From the history: this changed at %(time)s.", time=at))
    if fact.returned is not None:
        notes.append(
            gettext(
                "The page returned to a text that it first had on %(time)s (%(nth)s time).",
                **_returned(fact.returned),
            )
        )
    if fact.number is not None:
        notes.append(number_text(fact.number))
    if fact.stood is not None:
        notes.append(
            ngettext(
                "What changed has stood since %(time)s, at %(num)s visit.",
                "What changed has stood since %(time)s, at %(num)s visits.",
                fact.stood.visits,
                time=minute_of(fact.stood.since),
            )
        )
    if fact.held is not None:
        since, reason = minute_of(fact.held.since), reason_text(fact.held.reason)
        notes.append(gettext("This waited since %(time)s: %(reason)s.", time=since, reason=reason))
    return notes


def judgement_lines(fact: Notification) -> list[str]:
    """Return a language model's words on a notification: its summary, and its reason."""
    lines = [harmless(line) for line in fact.summary.splitlines()]
    if fact.because:
        lines.append(
            gettext(
                "By your rule (%(verdict)s): %(because)s",
                verdict=reason_text(fact.verdict),
                because=harmless(fact.because),
            )
        )
    elif fact.verdict:
        verdict = shown_reason(fact.verdict)
        lines.append(f"{verdict[:1].upper()}{harmless(verdict[1:])}.")
    return lines


def returned_text(returned: Returned) -> str:
    """Return since when, and how often, a page has had a text.

    >>> returned_text(Returned(since=1_700_000_000_000, times=3))
    'returned to a text that it first had on 2023-11-14 22:13 UTC (3rd time)'
    """
    return gettext(
        "returned to a text that it first had on %(time)s (%(nth)s time)", **_returned(returned)
    )


def _returned(returned: Returned) -> dict[str, str]:
    return {"time": minute_of(returned.since), "nth": ordinal_time(returned.times)}


def ordinal_time(number: int) -> str:
    """Return the ordinal of a repetition: a language has a form for times, or for items."""
    is_english = current_language() is ENGLISH
    return ordinal(number) if is_english else gettext("%(num)sth time", num=number)


def ordinal_item(number: int) -> str:
    """Return the ordinal of an item of a list."""
    is_english = current_language() is ENGLISH
    return ordinal(number) if is_english else gettext("%(num)sth item", num=number)


def ordinal(number: int) -> str:
    """Return a number as an ordinal.

    >>> [ordinal(number) for number in (1, 2, 3, 4, 11, 12, 21, 113)]
    ['1st', '2nd', '3rd', '4th', '11th', '12th', '21st', '113th']
    """
    if number % 100 in {11, 12, 13}:
        return f"{number}th"
    return f"{number}{({1: 'st', 2: 'nd', 3: 'rd'}).get(number % 10, 'th')}"


def number_text(number: NumberNews) -> str:
    """Return the former and the present number, and the reason of the notification.

    >>> number_text(NumberNews("21", "19.90", "EUR", ("below 20 EUR",)))
    '21 → 19.90 EUR: below 20 EUR'
    """
    change = f"{number.before} → {number.after} {number.unit}".rstrip()
    return ": ".join(filter(None, (change, "; ".join(map(reason_text, number.why)))))
