"""The same change of many subscriptions, by the requests for a single subscription."""

import asyncio
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass, replace

from connectors.requests.identity import replacement_of, request_about
from connectors.requests.outcomes import RequestOutcome
from schemas.records.codes import Code
from schemas.records.requests import ClientRequest
from schemas.records.subscriptions import Receiver, Subscription
from schemas.records.tags import canonical_tags

AT_ONCE = 20
"""Subscriptions changed at a time."""

Ask = Callable[[ClientRequest], Awaitable[RequestOutcome]]
"""Makes a request, and returns its outcome."""


@dataclass(frozen=True, slots=True)
class BulkChange:
    """A change: ``tag``, ``untag``, ``move``, ``interval``, or the action of a request.

    The action ``stop`` is a cancel that can be undone, ``again`` subscribes like an ended or a
    stopped subscription. ``tags`` are to be added or removed,
    ``receiver`` is the new receiver, ``interval`` (s) the new interval.
    """

    action: str
    tags: tuple[str, ...] = ()
    receiver: Receiver | None = None
    interval: int | None = None


async def change_each(
    ask: Ask, subscriptions: Sequence[Subscription], change: BulkChange
) -> list[RequestOutcome]:
    """Change subscriptions, and return their outcomes; after a request without answer, ask no more.

    The others would wait for the same workers.
    """
    outcomes: list[RequestOutcome] = []
    for at in range(0, len(subscriptions), AT_ONCE):
        part = subscriptions[at : at + AT_ONCE]
        if any(each.code == Code.NO_ANSWER for each in outcomes[-AT_ONCE:]):
            outcomes += [RequestOutcome(Code.NO_ANSWER, "It was not asked for.") for _ in part]
        else:
            outcomes += await asyncio.gather(*(changed(ask, each, change) for each in part))
    return outcomes


async def changed(ask: Ask, subscription: Subscription, change: BulkChange) -> RequestOutcome:
    """Change a subscription."""
    if change.action == "move":
        return await _moved(ask, subscription, change.receiver)
    if change.action in ("tag", "untag", "interval"):
        options = subscription.options
        if change.interval is not None:
            options = replace(options, interval=change.interval)
        else:
            named = canonical_tags(change.tags)
            others = tuple(each for each in options.tags if each not in named)
            options = replace(options, tags=(*others, *named) if change.action == "tag" else others)
        outcome = await ask(replace(replacement_of(subscription), options=options))
        return replace(outcome, secret=None)  # it stays the same
    if change.action == "again":
        outcome = await ask(replace(replacement_of(subscription), replace=False))
        goes_on = outcome.id == subscription.id  # its stop is undone, or has been: no new secret
        return RequestOutcome(Code.OK, id=outcome.id) if goes_on else outcome
    if change.action == "stop":
        return await ask(request_about(subscription, "cancel", undo=True))
    return await ask(request_about(subscription, change.action))


async def _moved(ask: Ask, subscription: Subscription, receiver: Receiver | None) -> RequestOutcome:
    """Begin the same for another receiver, and end the present subscription once granted."""
    assert receiver is not None, "a move has a receiver"
    if receiver == subscription.receiver:
        return RequestOutcome(Code.OK, id=subscription.id)
    begun = replace(replacement_of(subscription), receiver=receiver, replace=False)
    outcome = await ask(begun)
    if outcome.code != Code.OK:
        return outcome
    following = [request_about(subscription, "cancel")]
    if subscription.paused:
        following.insert(0, replace(request_about(subscription, "pause"), receiver=receiver))
    for request in following:
        ended = await ask(request)
        if ended.code not in (Code.OK, Code.NO_SUCH_SUBSCRIPTION):
            return ended
    return outcome
