"""The lifetime of a subscription: the time from its request to its end, without its pauses.

Visits of a page in this time are for the subscription, even if match handles them later. All times
are in epoch ms: those of a subscription by the broker's clock, which stamped its requests.
"""

from dataclasses import replace

from schemas.records.changes import Change
from schemas.records.subscriptions import PausedTime, Subscription
from schemas.records.waiting import DocumentVisited

REMEMBERED_MS = 6 * 3600 * 1000
"""The time for which the pauses and the end of a subscription are remembered."""
MAX_PAUSES = 32
"""The most pauses of a subscription remembered."""


def counts(subscription: Subscription, at: int) -> bool:
    """Return whether a visit at a time is for a subscription.

    >>> from schemas.records.subscriptions import Options, Receiver
    >>> one = Subscription("s", "w", "m", "u", "u", Receiver(), (), Options(), created=10)
    >>> one = ended(resumed(paused(one, 20), 30), 40)
    >>> [at for at in range(5, 50, 5) if counts(one, at)]
    [10, 15, 30, 35]
    """
    if at < (subscription.asked or subscription.created) or 0 < subscription.ended <= at:
        return False
    if not subscription.pauses:
        return not subscription.paused
    return not any(
        each.since <= at and (at < each.until or not each.until) for each in subscription.pauses
    )


def seen_at(fact: Change | DocumentVisited) -> int:
    """Return the time of a visit, by the clock of its worker.

    No page is visited before its slot: an earlier time comes from a slow clock.
    """
    return max(fact.at, fact.slot)


def paused(subscription: Subscription, at: int) -> Subscription:
    """Pause a subscription at a time, unless already paused."""
    if subscription.paused:
        return subscription
    recent = [each for each in subscription.pauses if each.until > at - REMEMBERED_MS]
    pauses = (*recent, PausedTime(at))[-MAX_PAUSES:]
    return replace(subscription, paused=True, pauses=pauses)


def resumed(subscription: Subscription, at: int) -> Subscription:
    """End the pause of a subscription at a time, if paused."""
    if not subscription.paused:
        return subscription
    # An earlier release noted no time: all until now is its pause.
    *earlier, last = subscription.pauses or (PausedTime(0),)
    pause = replace(last, until=max(at, last.since))
    return replace(subscription, paused=False, pauses=(*earlier, pause))


def stopped(subscription: Subscription, at: int) -> Subscription:
    """Stop a subscription at a time, unless already stopped."""
    return subscription if subscription.stopped else replace(paused(subscription, at), stopped=at)


def kept(subscription: Subscription, at: int) -> Subscription:
    """Undo the stop of a subscription at a time; paused before, it stays paused.

    >>> from schemas.records.subscriptions import Options, Receiver
    >>> one = Subscription("s", "w", "m", "u", "u", Receiver(), (), Options(), created=10)
    >>> [kept(stopped(each, 30), 40).paused for each in (one, paused(one, 20))]
    [False, True]
    """
    went_on = subscription if subscription.stays_paused else resumed(subscription, at)
    return replace(went_on, stopped=0)


def ended(subscription: Subscription, at: int) -> Subscription:
    """End a subscription at a time."""
    return replace(subscription, ended=at)
