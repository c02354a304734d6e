"""Notifies the subscriptions of a page that what changed in it concerns."""

from collections.abc import Callable, Iterator

import structlog

from schemas.records.changes import Change, DocumentChanged
from schemas.records.log_ids import trail
from schemas.records.notifications import Notification
from schemas.records.subscriptions import Subscription
from streams.agents.match.outcomes import send_of
from streams.agents.match.patience.lengths import Patience, patience_of
from streams.agents.match.progress import not_notified, noted_through
from streams.agents.match.register.memory import RegisterMemory
from streams.matching.matcher import Matcher
from streams.matching.notifications import notification_of_change
from streams.values.outcome import Outcome, in_parts

log = structlog.get_logger()


def notify_each(
    change: DocumentChanged,
    matcher: Matcher,
    memory: RegisterMemory,
    *,
    noted: str,
    wants: Callable[[Subscription], bool],
    explained: Callable[[Notification], Notification] = lambda notification: notification,
) -> Iterator[Outcome]:
    """Notify each subscription that ``wants`` it of what concerns it.

    By the id ``noted`` it is written down how far that came. ``explained`` adds why what
    changed is notified now.
    """
    sent = 0
    concerned = yield from in_parts(memory.concerned(change.url, matcher.words))
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
                yield Outcome((send_of(explained(notification)),))
        yield from noted_through(number, each, noted, memory)
    log.info("matched", url=change.url, **trail(change), notifications=sent)


def is_notified(subscription: Subscription, change: Change, latest: int) -> bool:
    """Return whether a change is for a subscription that began by ``latest`` (epoch ms)."""
    is_source = subscription.coverage is not None and subscription.coverage.source
    is_active = not subscription.paused and not is_source
    return is_of(subscription, change) and is_active and subscription.created <= latest


def has_patience(subscription: Subscription, patience: Patience | None) -> bool:
    """Return whether a subscription waits so long for a change to stand; None: not at all."""
    return patience_of(subscription.options) == patience


def is_of(subscription: Subscription, change: Change) -> bool:
    """Return whether a change was seen in the watch and in the view of a subscription."""
    return (subscription.watch, subscription.view_id) == (change.watch, change.view)
