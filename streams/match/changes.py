"""What match does with a change: one notification for each subscription that it concerns.

All of it is decided in parts, between which other events have their turn. A crash repeats
what came after the last row that was written.
"""

from collections.abc import Iterator

import structlog

from schemas.changes import Change, DocumentChanged
from schemas.failures import DocumentUnreachable
from schemas.state import NotifiedThrough, Registration
from schemas.statuses import Notice
from schemas.subscriptions import Subscription
from schemas.trail import trail
from streams.core.matching.notifications import (
    matcher_of,
    notification_of_change,
    notification_of_reading,
)
from streams.core.matching.stretches import SENTENCE
from streams.core.outcome import Outcome, Put, in_parts
from streams.core.register.decisions import Decision, end_by_change, publish_end
from streams.core.register.memory import RegisterMemory
from streams.core.register.registrations import active
from streams.match.outcomes import apply_decision, send_of

log = structlog.get_logger()

NOTED = 500
"""Subscriptions after which it is written down how far a change is matched."""
FINISHED = 64
"""Changes of a URL that are known to be matched to their end."""


def notify_of_change(change: DocumentChanged, memory: RegisterMemory) -> Outcome:
    """Notify each subscription of the changed document that one of its keywords concerns."""
    # Subscriptions that begin while this waits in line come after the change.
    latest = memory.of(change.url).latest
    return Outcome(line=change.url, rest=_notifications(change, memory, latest))


def end_watch(change: DocumentUnreachable, memory: RegisterMemory) -> Outcome:
    """End the subscriptions of a view that allow no more failures, and notify each.

    Paused ones too.
    """
    return Outcome(line=change.url, rest=_timeouts(change, memory))


def notify_of_failure(change: Notice, memory: RegisterMemory) -> Outcome:
    """Notify each subscription that asked for it that its document fails, is lost, or is back."""
    latest = memory.of(change.url).latest
    return Outcome(line=change.url, rest=_notices(change, memory, latest))


def _notices(change: Notice, memory: RegisterMemory, latest: int) -> Iterator[Outcome]:
    asked = [each for each in active(memory.of(change.url).values()) if _asks(each, change, latest)]
    for number, each in enumerate(_not_notified(asked, change, memory), 1):
        current = memory.current(each)
        if current is not None and _asks(current, change, latest):
            yield Outcome((send_of(notification_of_reading(current, change)),))
        if number % NOTED == 0:
            yield _noted_through(each, change, memory)
    yield from _finished(change, memory)


def _notifications(
    change: DocumentChanged, memory: RegisterMemory, latest: int
) -> Iterator[Outcome]:
    matcher, sent = matcher_of(change), 0
    concerned = yield from in_parts(memory.concerned(change.url, matcher.words))
    candidates = [
        each
        for each in _not_notified(concerned, change, memory)
        if _is_notified(each, change, latest)
    ]
    yield from in_parts(matcher.prepare(candidates))
    for number, each in enumerate(candidates, 1):
        # It may have been replaced, paused or ended while others were notified.
        current = memory.current(each)
        if current is not None and _is_notified(current, change, latest):
            notification = yield from in_parts(notification_of_change(current, change, matcher))
            if notification is not None:
                sent += 1
                yield Outcome((send_of(notification),))
        if number % NOTED == 0:
            yield _noted_through(each, change, memory)
    yield from _finished(change, memory)
    if matcher.words.search(SENTENCE).truncated:
        log.warning("more words than are looked at", url=change.url, **trail(change))
    log.info("matched", url=change.url, **trail(change), notifications=sent)


def _timeouts(change: DocumentUnreachable, memory: RegisterMemory) -> Iterator[Outcome]:
    # After a crash requests are decided before this is read again: an end that was published
    # without its row would be followed by a change of the subscription that was granted.
    yield from _published(change, memory)
    # Again until there are none: others may subscribe between two parts.
    while keys := _registered(change, memory):
        for key in keys:
            registrations = memory.of(change.url)
            if _given_up(registrations.get(key), change):
                after = end_by_change(registrations, key, change.id, change.at)
                yield apply_decision(Decision(None, (key, after)), memory, change.at)
        yield Outcome(awaited=True)
        yield from _published(change, memory)


def _published(change: DocumentUnreachable, memory: RegisterMemory) -> Iterator[Outcome]:
    """Notify the subscriptions that a change has ended, and are not notified of it yet."""
    for key, ended in _ended(change, memory):
        notification = send_of(notification_of_reading(ended, change))
        decision = publish_end(memory.of(change.url), key, change.reason, change.at)
        outcome = apply_decision(decision, memory, change.at)
        yield Outcome((notification, *outcome.sends), outcome.puts)


def _is_notified(subscription: Subscription, change: Change, latest: int) -> bool:
    """Whether a change is for a subscription that began by ``latest`` (epoch ms)."""
    return (
        _is_of(subscription, change) and not subscription.paused and subscription.created <= latest
    )


def _asks(subscription: Subscription, change: Notice, latest: int) -> bool:
    """Whether a subscription asks to be notified that its document fails, is lost, or is back."""
    return subscription.options.notify_failures and _is_notified(subscription, change, latest)


def _is_of(subscription: Subscription, change: Change) -> bool:
    """Whether a change was seen in the watch and in the view of a subscription."""
    return (subscription.watch, subscription.view_id) == (change.watch, change.view)


def _given_up(known: Registration | None, change: DocumentUnreachable) -> Subscription | None:
    """Return the subscription if its document has failed more often than it allows; 0: all.

    After a crash an end is read again, perhaps after a request that came later: a subscription
    that such a request began or changed is left, as another failure ends it.
    """
    if known is None or known.subscription is None or known.changed > change.at:
        return None
    own = known.subscription.options.max_failures
    limit = change.max_failures if own is None else own
    allows_more = own == 0 or limit > change.failures
    return known.subscription if _is_of(known.subscription, change) and not allows_more else None


def _not_notified(
    subscriptions: list[Subscription], change: Change, memory: RegisterMemory
) -> list[Subscription]:
    """Return those that come after the last one that is known to be notified of a change."""
    known = memory.notified(change.url) or NotifiedThrough()
    if change.id in known.finished:
        return []
    if known.change != change.id:
        return subscriptions
    last = known.created, known.subscription
    return [each for each in subscriptions if (each.created, each.id) > last]


def _noted_through(last: Subscription, change: Change, memory: RegisterMemory) -> Outcome:
    """Write down that a change is matched up to a subscription."""
    finished = (memory.notified(change.url) or NotifiedThrough()).finished
    notified = NotifiedThrough(change.id, last.created, last.id, finished)
    return Outcome(puts=(Put(*memory.note(change.url, notified)),))


def _finished(change: Change, memory: RegisterMemory) -> Iterator[Outcome]:
    """Write down that a change is matched to its end, if the URL has a row.

    Its event may be read again as long as an earlier one of the partition is not done.
    """
    known = memory.notified(change.url)
    if known is not None and change.id not in known.finished:
        finished = (*known.finished, change.id)[-FINISHED:]
        notified = NotifiedThrough(finished=finished)
        yield Outcome(puts=(Put(*memory.note(change.url, notified)),))


def _ended(change: DocumentUnreachable, memory: RegisterMemory) -> list[tuple[bytes, Subscription]]:
    """Return the keys and subscriptions that a change has ended, and are not notified of it."""
    known = [(key, each.ending) for key, each in memory.of(change.url).items()]
    return [(key, each.subscription) for key, each in known if each and each.change == change.id]


def _registered(change: DocumentUnreachable, memory: RegisterMemory) -> list[bytes]:
    """Return the keys of the subscriptions that a document is unreachable for."""
    return [key for key, known in memory.of(change.url).items() if _given_up(known, change)]
