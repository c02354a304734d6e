"""What match does with a change: one notification for each subscription that it concerns."""

from collections.abc import Callable, Iterable, Iterator

import structlog

from schemas.facts import Change, DocumentChanged, DocumentUnreachable, Notification, Subscription
from schemas.trail import trail
from streams.core.matching.matcher import Matcher
from streams.core.matching.notifications import notification_of_change, notification_of_timeout
from streams.core.outcome import Outcome, Send
from streams.core.register.decisions import Decision, expire
from streams.core.register.memory import RegisterMemory
from streams.match.outcomes import apply_decision, send_of

log = structlog.get_logger()

MAX_AT_ONCE = 500
"""Subscriptions that are matched before anything is sent; with more, each when it is sent."""


def notify_of_change(change: DocumentChanged, memory: RegisterMemory) -> Outcome:
    """Notify each subscription of the changed document that one of its keywords concerns."""
    matcher = Matcher(change.hunks, change.language)
    candidates = memory.concerned(change.url, matcher.words)
    # Listed now, as requests that are decided while the notifications go out do not count.
    candidates = [each for each in candidates if _concerns(each, change) and not each.paused]
    sends = _sends(candidates, lambda each: notification_of_change(each, change, matcher))
    if len(candidates) > MAX_AT_ONCE:
        log.info("matched", url=change.url, **trail(change), subscriptions=len(candidates))
        return Outcome(sends, line=change.url)
    made = tuple(sends)
    log.info("matched", url=change.url, **trail(change), notifications=len(made))
    return Outcome(made, line=change.url)


def end_watch(change: DocumentUnreachable, memory: RegisterMemory) -> Outcome:
    """End all subscriptions of a view, paused ones too, and notify each that it timed out."""
    registrations = memory.of(change.url).copy()
    sends: list[Send] = []
    decisions: list[Decision] = []
    for key, known in list(registrations.items()):
        subscription = known.subscription
        if subscription is None or not _concerns(subscription, change):
            continue
        sends += _sends([subscription], lambda each: notification_of_timeout(each, change))
        fact, after = expire(registrations, key, change.reason, change.at)
        registrations.put(key, after)
        decisions.append(Decision(fact, (key, after)))
    # Applied only when all is decided: an error on the way leaves the memory as it was.
    outcomes = [apply_decision(decision, memory, change.at) for decision in decisions]
    facts = [send for outcome in outcomes for send in outcome.sends]
    puts = tuple(put for outcome in outcomes for put in outcome.puts)
    return Outcome(sends + facts, puts, change.url)


def _concerns(subscription: Subscription, change: Change) -> bool:
    """Whether a change was seen in the watch and in the view of a subscription."""
    return (subscription.watch, subscription.view) == (change.watch, change.view)


def _sends(
    subscriptions: Iterable[Subscription],
    notification_for: Callable[[Subscription], Notification | None],
) -> Iterator[Send]:
    for subscription in subscriptions:
        notification = notification_for(subscription)
        if notification is not None:
            yield send_of(notification)
