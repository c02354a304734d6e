"""Notifies the subscriptions of a page, and writes down the progress.

A crash repeats little.
"""

from collections.abc import Callable, Iterator

import structlog

from schemas.records.changes import Change, DocumentChanged
from schemas.records.log_ids import trail
from schemas.records.notifications import Notification
from schemas.records.subscriptions import Subscription
from schemas.records.table_rows import NotifiedThrough
from streams.agents.match.patience.memory import Patience, patience_of
from streams.agents.match.register.memory import RegisterMemory
from streams.matching.matcher import Matcher
from streams.matching.notifications import notification_of_change
from streams.values.judging import send_to
from streams.values.lifetimes import counts
from streams.values.outcome import Outcome, Put, in_parts

log = structlog.get_logger()

NOTED = 500
"""Subscriptions between two notes of a change's progress."""
FINISHED = 64
"""Remembered changes of a URL matched to their end."""


def notify_each(
    change: DocumentChanged,
    matcher: Matcher,
    memory: RegisterMemory,
    *,
    noted: str,
    at: int,
    wants: Callable[[Subscription], bool],
    explained: Callable[[Notification], Notification] = lambda notification: notification,
) -> Iterator[Outcome]:
    """Notify the subscriptions for which ``wants`` holds.

    The progress is written down by the id ``noted``. Subscriptions ended before a time (``at``,
    epoch ms) want nothing. ``explained`` adds the reason for a notification now.
    """
    sent = 0
    concerned = yield from in_parts(memory.concerned(change.url, matcher.words, at))
    candidates = [
        each for each in not_notified(concerned, noted, change.url, memory) if wants(each)
    ]
    yield from in_parts(matcher.prepare(candidates))
    for number, each in enumerate(candidates, 1):
        # It may have been replaced, paused or ended while others were notified.
        current = memory.current(each)
        if current is not None and wants(current):
            notification = yield from in_parts(notification_of_change(current, change, matcher))
            if notification is not None:
                sent += 1
                yield Outcome((send_to(current, explained(notification), current.url),))
        yield from noted_through(number, each, noted, memory)
    log.info("matched", url=change.url, **trail(change), notifications=sent)


def is_notified(subscription: Subscription, change: Change, seen: int) -> bool:
    """Return whether a change ``seen`` at a time (epoch ms) is for a subscription."""
    is_source = subscription.coverage is not None and subscription.coverage.source
    return is_of(subscription, change) and not is_source and counts(subscription, seen)


def has_patience(subscription: Subscription, patience: Patience | None) -> bool:
    """Return whether a subscription waits so long for a change to stand; None: not at all."""
    return patience_of(subscription.options) == patience


def is_of(subscription: Subscription, change: Change) -> bool:
    """Return whether a change was seen in the watch and in the view of a subscription."""
    return (subscription.watch, subscription.view_id) == (change.watch, change.view)


def not_notified(
    subscriptions: list[Subscription], change: str, url: str, memory: RegisterMemory
) -> list[Subscription]:
    """Return the subscriptions after the last known to be notified of a change, by its id."""
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
    """Write down the progress of a change up to a subscription, after every so many."""
    if number % NOTED == 0:
        finished = (memory.notified(last.url) or NotifiedThrough()).finished
        notified = NotifiedThrough(change, last.created, last.id, finished)
        yield Outcome(puts=(Put(*memory.note(last.url, notified)),))


def matched_to_end(change: str, url: str, memory: RegisterMemory) -> Iterator[Outcome]:
    """Write down the end of a change's matching, if the URL has a row.

    Its event may be read again until all earlier events of the partition are done.
    """
    known = memory.notified(url)
    if known is not None and change not in known.finished:
        finished = (*known.finished, change)[-FINISHED:]
        notified = NotifiedThrough(finished=finished)
        yield Outcome(puts=(Put(*memory.note(url, notified)),))
