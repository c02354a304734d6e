"""percolate: notifies subscriptions that are for several pages of the changes that match sends.

The only writer of the ``queries`` table, of which each partition has the subscriptions with
terms that belong to it.
"""

from collections.abc import Callable, Iterable, Iterator
from dataclasses import replace
from itertools import chain

import structlog

from schemas.codec import wire
from schemas.records.log_ids import trail
from schemas.records.percolations import (
    DropQuery,
    Interest,
    Percolate,
    StoreQuery,
    TermFilter,
    Watcher,
)
from schemas.records.topics import INTERESTS
from streams.agents.percolate.queries import Queries
from streams.matching.matcher import Matcher
from streams.matching.notifications import matcher_of
from streams.matching.terms.notifying import is_for, notification_of_page
from streams.matching.terms.term_filters import closed
from streams.values.judging import send_to
from streams.values.outcome import Event, Outcome, Put, Send, in_parts

log = structlog.get_logger()

STEP = 1_000
"""Subscriptions that are looked at in one step, if a change is for none of them."""


class PercolateProcessor:
    """The agent that matches changes of many pages, for all partitions of a worker."""

    def __init__(self, *, partitions: int, language: Callable[[str], str] = str) -> None:
        """Each topic has ``partitions``; ``language`` is as in match."""
        self._partitions = partitions
        self._language = language
        self._queries: dict[int, Queries] = {}

    def begin(self, partition: int) -> None:
        """Start a partition with an empty memory."""
        self._queries[partition] = Queries()

    def load(self, partition: int, key: bytes, value: bytes) -> None:
        """Load a row of the table into memory."""
        self._queries[partition].put(wire.decode(value, StoreQuery))

    def released(self) -> None:
        """Drop the memory of all partitions."""
        self._queries.clear()

    def sizes(self) -> dict[str, int]:
        """Count the items in memory, for the gauges."""
        return {"queries": sum(map(len, self._queries.values()))}

    def decide(self, event: Event) -> Outcome:
        """Store or forget a subscription, or notify those that a change concerns."""
        queries = self._queries[event.partition]
        match event.fact:
            case StoreQuery() as query:
                queries.put(query)
                return self._stored([query], [queries.left(event.timestamp)], event)
            case DropQuery() as command:
                gone = command.subscription, queries.left(event.timestamp)
                return self._stored([], gone, event)
            case Percolate() as command:
                change = command.change
                change = replace(change, language=self._language(change.language))
                rest = self._notifications(replace(command, change=change), event.partition)
                managers = [each.manager for each in command.watchers]
                return Outcome(line=change.url, rest=chain(rest, self._filters(managers, event)))
        raise TypeError(f"percolate does not read facts of type {type(event.fact).__name__}")

    def _stored(
        self, stored: list[StoreQuery], gone: Iterable[str | None], event: Event
    ) -> Outcome:
        """Write the rows of what is stored, forget what is gone, and state what changed for match.

        An event forgets no more than one that has left.
        """
        queries = self._queries[event.partition]
        dropped = [each for name in gone if name and (each := queries.drop(name)) is not None]
        puts = [Put(each.subscription.id.encode(), each) for each in stored]
        puts += [Put(each.subscription.id.encode(), None) for each in dropped]
        managers = dict.fromkeys(each.subscription.manager for each in (*stored, *dropped))
        news = (queries.unstated(each, event.partition) for each in managers)
        sends = tuple(send for each in news if each is not None for send in self._to_match(each))
        due = [each for each in managers if queries.terms(each).is_filter_due(event.timestamp)]
        rest = self._filters(due, event) if due else None
        return Outcome(sends, tuple(puts), line=next(iter(due), ""), rest=rest)

    def _filters(self, managers: Iterable[str], event: Event) -> Iterator[Outcome]:
        """Make the filters of those managers that are due, and send them to match.

        Until the interest follows that names a filter, match expects any term.
        """
        queries, partition, now = self._queries[event.partition], event.partition, event.timestamp
        for manager in managers:
            terms = queries.terms(manager)
            if not terms.is_filter_due(now):
                continue
            made = yield from in_parts(terms.make_filter(now))
            # A filter may be large: each copy is a part.
            for send in self._to_match(closed(made, manager, partition, now)):
                yield Outcome((send,))
            # Also if the terms are gone meanwhile: by this, match forgets the filter.
            queries.unstated(manager, partition)
            yield Outcome(self._to_match(queries.interest(manager, partition)))

    def _to_match(self, record: Interest | TermFilter) -> tuple[Send, ...]:
        """Send to every partition of match: any may have a page of the manager."""
        return tuple(Send(INTERESTS.name, None, record, each) for each in range(self._partitions))

    def _notifications(self, command: Percolate, partition: int) -> Iterator[Outcome]:
        matcher, sent = matcher_of(command.change), 0
        for watcher in command.watchers:
            for outcome in self._of_watcher(command, watcher, matcher, partition):
                sent += len(tuple(outcome.sends))
                yield outcome
        change = command.change
        log.info(
            "percolated",
            url=change.url,
            **trail(change),
            partition=partition,
            notifications=sent,
        )

    def _of_watcher(
        self,
        command: Percolate,
        watcher: Watcher,
        matcher: Matcher,
        partition: int,
    ) -> Iterator[Outcome]:
        change, queries = command.change, self._queries[partition]
        found = yield from in_parts(queries.concerned(watcher.manager, matcher.words))
        yield from in_parts(matcher.prepare(found))
        for number, each in enumerate(found, 1):
            if number % STEP == 0:
                yield Outcome()
            known = queries.get(each.id)
            # It may have been replaced, paused or ended while others were notified.
            if known is None or not is_for(known.subscription, change, watcher.tags):
                continue
            notification = yield from in_parts(
                notification_of_page(
                    known,
                    change,
                    matcher,
                    partition=partition,
                    partitions=self._partitions,
                )
            )
            if notification is not None:
                yield Outcome((send_to(known.subscription, notification, change.url),))
