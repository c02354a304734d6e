"""percolate: notifies subscriptions that are for several pages of the changes that match sends.

The only writer of the ``queries`` table, of which each partition has the subscriptions with
terms that belong to it.
"""

from collections.abc import Callable, Iterator
from dataclasses import replace

import structlog

from schemas.codec import wire
from schemas.records.log_ids import trail
from schemas.records.percolations import DropQuery, Interest, Percolate, StoreQuery, Watcher
from streams.agents.percolate.queries import Queries
from streams.matching.matcher import Matcher
from streams.matching.notifications import matcher_of
from streams.matching.terms.notifying import is_for, notification_of_page
from streams.values.outcome import Event, Outcome, Put, Send, in_parts
from streams.values.topics import INTERESTS, NOTIFICATIONS

log = structlog.get_logger()

STEP = 1_000
"""Subscriptions that are looked at in one step, if a change is for none of them."""


class PercolateStage:
    """The stage that matches changes of many pages, for all partitions of a worker."""

    def __init__(self, *, partitions: int, language: Callable[[str], str] = str) -> None:
        """Each topic has ``partitions``; ``language`` is as in match."""
        self._partitions = partitions
        self._language = language
        self._queries: dict[int, Queries] = {}

    def begin(self, partition: int) -> None:
        """Start a partition with an empty memory."""
        self._queries[partition] = Queries()

    def load(self, partition: int, key: bytes, value: bytes) -> None:
        """Load one row of the table into memory."""
        self._queries[partition].put(wire.decode(value, StoreQuery))

    def released(self) -> None:
        """Drop the memory of all partitions."""
        self._queries.clear()

    def sizes(self) -> dict[str, int]:
        """Count what is in memory, for the gauges."""
        return {"queries": sum(map(len, self._queries.values()))}

    def decide(self, event: Event) -> Outcome:
        """Store or forget a subscription, or notify those that a change concerns."""
        queries = self._queries[event.partition]
        match event.fact:
            case StoreQuery() as query:
                stored = self._store(query, queries, event.partition)
                return self._without_left(stored, queries, event)
            case DropQuery() as command:
                dropped = self._dropped(command.subscription, queries, event.partition)
                return self._without_left(dropped, queries, event)
            case Percolate() as command:
                change = command.change
                change = replace(change, language=self._language(change.language))
                latest = queries.latest
                rest = self._notifications(replace(command, change=change), event.partition, latest)
                return Outcome(line=change.url, rest=rest)
        raise TypeError(f"percolate does not read facts of type {type(event.fact).__name__}")

    def _store(self, query: StoreQuery, queries: Queries, partition: int) -> Outcome:
        subscription = query.subscription
        before = queries.interest(subscription.manager, partition)
        queries.put(query)
        after = queries.interest(subscription.manager, partition)
        put = Put(subscription.id.encode(), query)
        return Outcome(self._stated(before, after), (put,))

    def _without_left(self, outcome: Outcome, queries: Queries, event: Event) -> Outcome:
        """Forget one that has left, too: an event adds no more than one."""
        left = queries.left(event.timestamp)
        if left is None:
            return outcome
        dropped = self._dropped(left, queries, event.partition)
        return Outcome((*outcome.sends, *dropped.sends), (*outcome.puts, *dropped.puts))

    def _dropped(self, subscription: str, queries: Queries, partition: int) -> Outcome:
        known = queries.get(subscription)
        if known is None:
            return Outcome()
        manager = known.subscription.manager
        before = queries.interest(manager, partition)
        queries.drop(subscription)
        after = queries.interest(manager, partition)
        return Outcome(self._stated(before, after), (Put(subscription.encode(), None),))

    def _stated(self, before: Interest, after: Interest) -> tuple[Send, ...]:
        """Let match know what changed, in every partition: any may have a page of the manager."""
        if before == after:
            return ()
        return tuple(Send(INTERESTS.name, None, after, each) for each in range(self._partitions))

    def _notifications(self, command: Percolate, partition: int, latest: int) -> Iterator[Outcome]:
        """Notify those that began by ``latest`` (epoch ms): others may come while this waits."""
        matcher, sent = matcher_of(command.change), 0
        for watcher in command.watchers:
            for outcome in self._of_watcher(command, watcher, matcher, partition, latest):
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
        latest: int,
    ) -> Iterator[Outcome]:
        change, queries = command.change, self._queries[partition]
        found = yield from in_parts(queries.concerned(watcher.manager, matcher.words))
        yield from in_parts(matcher.prepare(found))
        for number, each in enumerate(found, 1):
            if number % STEP == 0:
                yield Outcome()
            known = queries.get(each.id)
            # It may have been replaced, paused or ended while others were notified.
            if known is None or known.subscription.created > latest:
                continue
            if not is_for(known.subscription, change.url, watcher.tags):
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
                client = notification.receiver.name
                yield Outcome((Send(NOTIFICATIONS.name, client, notification),))
