"""Notify the subscriptions of a change, each once.

All is decided in parts, with the turns of other events in between. A crash repeats the part after
the last written row.
"""

from collections.abc import Iterator
from dataclasses import replace

import structlog

from schemas.records.changes import DocumentChanged
from schemas.records.failures import DocumentFailing, DocumentUnreachable
from schemas.records.log_ids import trail
from schemas.records.statuses import STATUSES, Notice
from schemas.records.subscriptions import Subscription
from schemas.records.table_rows import OpenNotices, Registration
from streams.agents.match.notifying import (
    has_patience,
    is_notified,
    is_of,
    matched_to_end,
    not_notified,
    noted_through,
    notify_each,
)
from streams.agents.match.outcomes import apply_decision, pass_on_crawl
from streams.agents.match.percolations import percolations
from streams.agents.match.register.decisions import Decision, end_by_change, publish_end
from streams.agents.match.register.memory import RegisterMemory
from streams.agents.match.register.registrations import by_age
from streams.agents.match.standing_changes import Language, in_language, taken_in
from streams.matching.notifications import matcher_of, notification_of_reading
from streams.matching.stretches import SENTENCE
from streams.values.judging import send_to
from streams.values.lifetimes import seen_at
from streams.values.outcome import Outcome, Put

log = structlog.get_logger()

_BEGINNINGS = {"recovered": "failing", "found": "lost"}
"""The status that began, by the status of its end."""


def notify_of_change(
    change: DocumentChanged, memory: RegisterMemory, language: Language, partitions: int
) -> Iterator[Outcome]:
    """Notify each subscription to the changed document with a matching keyword.

    For subscriptions with a patience, the change begins to wait. Subscriptions to several pages are
    notified by percolate, in any of its ``partitions``. ``language`` returns a language by its code
    with its plugged-in stemmer, if any.
    """
    spoken, seen = in_language(change, language), seen_at(change)
    matcher = matcher_of(spoken)

    def watches(subscription: Subscription) -> bool:
        return is_notified(subscription, change, seen)

    def wants(subscription: Subscription) -> bool:
        return has_patience(subscription, None) and watches(subscription)

    yield from notify_each(spoken, matcher, memory, noted=change.id, at=seen, wants=wants)
    yield from percolations(change, memory, matcher.words, watches, partitions)
    yield from taken_in(change, memory, language)
    yield from matched_to_end(change.id, change.url, memory)
    if matcher.words.search(SENTENCE).truncated:
        log.warning("more words than are looked at", url=change.url, **trail(change))


def notify_of_failure(change: Notice, memory: RegisterMemory) -> Iterator[Outcome]:
    """Notify subscriptions with notices of a failing, lost or recovered document."""
    concerned = {
        each.id: (key, each)
        for key, known in memory.of(change.url).items()
        for each in (known.subscription, *known.ended)
        if each is not None and _is_concerned(known, each, change)
    }
    several = by_age(each for _, each in concerned.values())
    left = not_notified(several, change.id, change.url, memory)
    for number, each in enumerate(left, 1):
        key = memory.key(each.id) or concerned[each.id][0]  # it may have been renamed
        current = memory.current(each)
        if current is not None and _is_concerned(memory.registration(key), current, change):
            yield _noticed(key, current, change, memory)
        yield from noted_through(number, each, change.id, memory)
    yield from matched_to_end(change.id, change.url, memory)


def _noticed(
    key: bytes, subscription: Subscription, change: Notice, memory: RegisterMemory
) -> Outcome:
    """Notify a subscription, and note the notice or the end in its row."""
    known = memory.registration(key)
    after = known if subscription.ended else _after_notice(known, STATUSES[type(change)])
    memory.put(key, after)
    puts = (Put(key, after),) if after != known else ()
    if not _asks(subscription, change):
        return Outcome(puts=puts)
    notification = notification_of_reading(subscription, change)
    return Outcome((send_to(subscription, notification, subscription.url),), puts)


def end_watch(change: DocumentUnreachable, memory: RegisterMemory) -> Iterator[Outcome]:
    """End the subscriptions of a view beyond their limit of failures, and notify each.

    Paused ones too.
    """
    # After a crash requests are decided before this is read again: an end that was published
    # without its row would be followed by a change of the subscription that was granted.
    yield from _published(change, memory)
    # Again until there are none: others may subscribe between two parts.
    while keys := [k for k, known in memory.of(change.url).items() if _given_up(known, change)]:
        for key in keys:
            registrations = memory.of(change.url)
            if _given_up(registrations.get(key), change):
                after = end_by_change(registrations, key, change.id, change.at)
                yield apply_decision(Decision(None, (key, after)), memory, change.at)
        yield Outcome(awaited=True)
        yield from _published(change, memory)


def _published(change: DocumentUnreachable, memory: RegisterMemory) -> Iterator[Outcome]:
    """Notify the subscriptions ended by a change, and not notified yet."""
    known = [(key, each.ending) for key, each in memory.of(change.url).items()]
    for key, ending in known:
        if ending is None or ending.change != change.id:
            continue
        ended = ending.subscription
        notification = send_to(ended, notification_of_reading(ended, change), ended.url)
        decision = publish_end(memory.of(change.url), key, change.reason, change.at)
        outcome = apply_decision(decision, memory, change.at)
        crawl = pass_on_crawl(ended, None, decision.fact)
        yield Outcome((*crawl, notification, *outcome.sends), outcome.puts)


def _is_concerned(known: Registration, subscription: Subscription, change: Notice) -> bool:
    """Whether a subscription asks for a notice, or knows of the state ended by the change."""
    status = STATUSES[type(change)]
    if status not in _BEGINNINGS:
        return _asks(subscription, change)
    is_open = _BEGINNINGS[status] in _open(known, subscription)
    had_ended = 0 < subscription.ended <= seen_at(change)
    return is_open and is_of(subscription, change) and not had_ended


def _asks(subscription: Subscription, change: Notice) -> bool:
    """Whether a subscription asks for notices of a failing, lost or recovered document."""
    options = subscription.options
    if isinstance(change, DocumentFailing) and change.failures != options.failing_after:
        return False
    return options.notify_failures and is_notified(subscription, change, seen_at(change))


def _given_up(known: Registration | None, change: DocumentUnreachable) -> Subscription | None:
    """Return the subscription if its document has failed beyond its limit; 0: all.

    After a crash an end is read again, perhaps after a later request: a subscription begun or
    changed by the request is left, as another failure ends the subscription.
    """
    if known is None or known.subscription is None or known.changed > change.at:
        return None
    own = known.subscription.options.max_failures
    limit = change.max_failures if own is None else own
    allows_more = own == 0 or limit > change.failures
    return known.subscription if is_of(known.subscription, change) and not allows_more else None


def _after_notice(known: Registration, status: str) -> Registration:
    """Return a registration with a subscription after a notice of a begin or an end."""
    subscription = known.subscription
    assert subscription is not None, "it is notified"
    before = _open(known, subscription)
    is_end = status in _BEGINNINGS
    after = before - {_BEGINNINGS[status]} if is_end else before | {status}
    if after == before:
        return known
    notices = OpenNotices(subscription.id, subscription.view_id, tuple(sorted(after)))
    return replace(known, notices=notices if after else None)


def _open(known: Registration, subscription: Subscription) -> frozenset[str]:
    """Return the open notices for a subscription of a registration, in its present view."""
    notices = known.notices
    if notices is None:
        return frozenset()
    is_same = (notices.subscription, notices.view) == (subscription.id, subscription.view_id)
    return frozenset(notices.statuses if is_same else ())
