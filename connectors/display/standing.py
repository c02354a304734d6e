"""Why a change was notified only after a while: it had to stand, or to wait for its time."""

from datetime import UTC, datetime

from connectors.display.numbers import number_text
from connectors.display.returns import returned_text
from schemas.codec.times import minute_utc
from schemas.records.delivery_times import Held
from schemas.records.notifications import Notification
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


def notes_of(fact: Notification) -> list[str]:
    """Return the sentences that explain a notification of a change."""
    notes = []
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
