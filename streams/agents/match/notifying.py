"""Notifies the subscriptions of a page, and writes down how far that came.

A crash repeats little of it.
"""

from collections.abc import Callable, Iterator

import structlog

from schemas.records.changes import Change, DocumentChanged
from schemas.records.log_ids import trail
from schemas.records.notifications import Notification
from schemas.records.subscriptions import Subscription
from schemas.records.table_rows import NotifiedThrough
from streams.agents.match.outcomes import send_to
from streams.agents.match.patience.memory import Patience, patience_of
from streams.agents.match.register.memory import RegisterMemory
from streams.matching.matcher import Matcher
from streams.matching.notifications import notification_of_change
from streams.values.lifetimes import counts
from streams.values.outcome import Outcome, Put, in_parts

log = structlog.get_logger()

NOTED = 500
"""Subscriptions after which it is written down how far a change is matched."""
FINISHED = 64
"""Changes of a URL that are known to be matched to their end."""


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
    """Notify each subscription that ``wants`` it of what concerns it.

    By the id ``noted`` it is written down how far that came. Those that ended before a time
    (``at``, epoch ms) want nothing. ``explained`` adds why what changed is notified now.
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
                yield Outcome((send_to(current, explained(notification)),))
        yield from noted_through(number, each, noted, memory)
    log.info("matched", url=change.url, **trail(change), notifications=sent)


def is_notified(subscription: Subscription, change: Change, seen: int) -> bool:
    """Return whether a change that was ``seen`` at a time (epoch ms) is for a subscription."""
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
