"""Notify subscriptions with a patience, of a change only once standing."""

from collections.abc import Callable, Generator, Iterator
from dataclasses import replace

import structlog

from schemas.records.changes import DocumentChanged
from schemas.records.notifications import Notification
from schemas.records.subscriptions import Subscription
from schemas.records.table_rows import Waiting, WaitingChange
from schemas.records.topics import SUBSCRIPTIONS
from schemas.records.waiting import DocumentVisited, Stood
from streams.agents.match.notifying import has_patience, is_notified, notify_each
from streams.agents.match.patience.memory import PatienceGroup, patience_of
from streams.agents.match.patience.waiting import (
    after_visit,
    is_worth_a_row,
    take_in,
    waiting_fact,
    with_change,
)
from streams.agents.match.register.memory import RegisterMemory
from streams.matching.notifications import matcher_of, notification_of_change
from streams.values.ids import content_id
from streams.values.judging import send_to
from streams.values.lifetimes import counts, seen_at
from streams.values.outcome import Outcome, Put, Send, in_parts

log = structlog.get_logger()

Language = Callable[[str], str]
"""Takes the code of a language and returns the code, or the language with a plugged-in stemmer."""


def in_language(change: DocumentChanged, language: Language) -> DocumentChanged:
    """Return a change with the language for its words."""
    found = language(change.language)
    return change if found is change.language else replace(change, language=found)


def taken_in(
    change: DocumentChanged, memory: RegisterMemory, language: Language
) -> Iterator[Outcome]:
    """Compare a change with the waiting changes, and let the change wait for its subscriptions."""
    yield from _left_behind(change, memory)
    known = memory.waiting.of(change.url)
    for patience in memory.of(change.url).patiences(change.view, seen_at(change)):
        group = PatienceGroup(change.view, patience)
        yield from _taken_in(change, memory, group, known.get(group, Waiting()), language)


def notify_of_standing(
    visit: DocumentVisited, memory: RegisterMemory, language: Language
) -> Iterator[Outcome]:
    """Notify the subscriptions of a view of changes standing long enough at a visit."""
    yield from _left_behind(visit, memory)
    for group, waiting in memory.waiting.of(visit.url).items():
        if group.view != visit.view:
            continue
        after, standing = after_visit(waiting, visit, group.patience)
        for each in standing:
            yield from _notify(each, group, visit, memory, language)
        if is_worth_a_row(waiting, after, group.patience):
            yield from _written(waiting, after, group, visit, memory)
        elif after != waiting:
            memory.waiting.put(visit.url, group, after)


def notify_of_waiting(
    before: Subscription, after: Subscription, at: int, memory: RegisterMemory, language: Language
) -> Iterator[Outcome]:
    """Notify a subscription of changes no longer awaited, because its patience was changed."""
    patience = patience_of(before.options)
    if patience is None or has_patience(after, patience):
        return
    waiting = memory.waiting.of(before.url).get(PatienceGroup(before.view_id, patience), Waiting())
    for each in waiting.changes:
        if is_waiting(after, each.change, at):
            change = in_language(each.change, language)
            found = yield from in_parts(notification_of_change(after, change, matcher_of(change)))
            if found is not None:
                yield Outcome((send_to(after, _explained(found, each, at), after.url),))


def is_waiting(subscription: Subscription, change: DocumentChanged, at: int) -> bool:
    """Return whether a change is for a subscription, both when found and ``at`` a time."""
    return is_notified(subscription, change, seen_at(change)) and counts(subscription, at)


def _taken_in(
    change: DocumentChanged,
    memory: RegisterMemory,
    group: PatienceGroup,
    before: Waiting,
    language: Language,
) -> Iterator[Outcome]:
    after, new = take_in(before, change)
    concerns = new is not None and (yield from _concerns(in_language(new, language), memory, group))
    if new is not None and concerns:
        patiences = memory.of(change.url).counted.views.patiences
        if not patiences.wants_texts(group.view, group.patience):
            new = replace(new, texts=None)  # others want them, and they are large
        after, without_room = with_change(after, new)
        for each in without_room:
            log.warning("notified before it stands: too much waits", url=change.url)
            yield from _notify(each, group, change, memory, language)
    if after.changes or before != Waiting():
        yield from _written(before, after, group, change, memory)


def _concerns(
    change: DocumentChanged, memory: RegisterMemory, group: PatienceGroup
) -> Generator[Outcome, None, bool]:
    """Return whether a change concerns a subscription of a group."""
    matcher = matcher_of(change)
    seen = seen_at(change)
    concerned = yield from in_parts(memory.concerned(change.url, matcher.words, seen))
    for each in concerned:
        if has_patience(each, group.patience) and is_waiting(each, change, seen):
            yield Outcome()
            if (yield from in_parts(matcher.concerning(each))):
                return True
    return False


def _notify(
    waited: WaitingChange,
    group: PatienceGroup,
    seen: DocumentVisited | DocumentChanged,
    memory: RegisterMemory,
    language: Language,
) -> Iterator[Outcome]:
    change, at = in_language(waited.change, language), seen_at(seen)

    def wants(subscription: Subscription) -> bool:
        is_of_group = has_patience(subscription, group.patience)
        return is_of_group and is_waiting(subscription, change, at)

    yield from notify_each(
        change,
        matcher_of(change),
        memory,
        noted=content_id("stands", change.id, *group.patience),
        at=at,
        wants=wants,
        explained=lambda notification: _explained(notification, waited, seen.at),
    )


def _explained(notification: Notification, waited: WaitingChange, at: int) -> Notification:
    """Add the begin of a standing change to its late notification."""
    return replace(notification, at=at, stood=Stood(waited.change.at, waited.visits))


def _written(
    before: Waiting,
    after: Waiting,
    group: PatienceGroup,
    seen: DocumentVisited | DocumentChanged,
    memory: RegisterMemory,
) -> Iterator[Outcome]:
    """Write the waiting changes, and publish them if different from before."""
    if before == after:
        return
    fact = waiting_fact(after, group.patience, seen)
    known = waiting_fact(before, group.patience, seen)
    if after.dropped > before.dropped:
        log.info("does not wait any more", url=seen.url, view=seen.view, reason=after.reason)
    sends = () if fact == known else (Send(SUBSCRIPTIONS.name, seen.url, fact),)
    yield Outcome(sends, (Put(memory.waiting.put(seen.url, group, after), after),))


def _left_behind(
    seen: DocumentVisited | DocumentChanged, memory: RegisterMemory
) -> Iterator[Outcome]:
    """Delete waiting changes without subscriptions, and state their end."""
    url, registrations = seen.url, memory.of(seen.url)
    for group, waiting in memory.waiting.of(url).items():
        if group.patience not in registrations.patiences(group.view, seen_at(seen)):
            for each in waiting.changes:
                log.info("nobody waits for it any more", url=url, change=each.change.id)
            of_view = replace(seen, view=group.view)
            fact = waiting_fact(Waiting(), group.patience, of_view)
            put = Put(memory.waiting.put(url, group, None), None)
            yield Outcome((Send(SUBSCRIPTIONS.name, url, fact),), (put,))
