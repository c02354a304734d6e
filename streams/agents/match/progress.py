"""How far a change is matched: what is written down, so that a crash repeats little of it."""

from collections.abc import Iterator

from schemas.records.subscriptions import Subscription
from schemas.records.table_rows import NotifiedThrough
from streams.agents.match.register.memory import RegisterMemory
from streams.values.outcome import Outcome, Put

NOTED = 500
"""Subscriptions after which it is written down how far a change is matched."""
FINISHED = 64
"""Changes of a URL that are known to be matched to their end."""


def not_notified(
    subscriptions: list[Subscription], change: str, url: str, memory: RegisterMemory
) -> list[Subscription]:
    """Return those after the last one that is known to be notified of a change, by its id."""
    known = memory.notified(url) or NotifiedThrough()
    if change in known.finished:
        return []
    if known.change != change:
        return subscriptions
    last = known.created, known.subscription
    return [each for each in subscriptions if (each.created, each.id) > last]


def noted_through(
    number: int, last: Subscription, change: str, memory: RegisterMemory
) -> Iterator[Outcome]:
    """Write down that a change is matched up to a subscription, after every so many."""
    if number % NOTED == 0:
        finished = (memory.notified(last.url) or NotifiedThrough()).finished
        notified = NotifiedThrough(change, last.created, last.id, finished)
        yield Outcome(puts=(Put(*memory.note(last.url, notified)),))


def matched_to_end(change: str, url: str, memory: RegisterMemory) -> Iterator[Outcome]:
    """Write down that a change is matched to its end, if the URL has a row.

    Its event may be read again as long as an earlier one of the partition is not done.
    """
    known = memory.notified(url)
    if known is not None and change not in known.finished:
        finished = (*known.finished, change)[-FINISHED:]
        notified = NotifiedThrough(finished=finished)
        yield Outcome(puts=(Put(*memory.note(url, notified)),))
