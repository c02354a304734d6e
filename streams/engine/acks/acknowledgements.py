"""Events of an assignment that are in flight and done, and what is committed of them."""

import asyncio
from collections import Counter
from collections.abc import Awaitable, Callable, Container, Iterable, Mapping
from dataclasses import replace
from typing import Any

from aiokafka import TopicPartition
from aiokafka.structs import OffsetAndMetadata

from connectors.kafka.log_reader import LogReader
from schemas.records.topics import Topic
from streams.engine.acks.capacity import Capacity
from streams.engine.acks.commit_metadata import CommitMetadata
from streams.engine.acks.ledger import Ledger
from streams.engine.acks.poison_messages import PoisonMessages
from streams.engine.acks.runner import TakenEvent
from streams.engine.acks.topic_ids import TopicIds
from streams.engine.life.loop_watch import LoopWatch
from streams.values.outcome import Event

EventKey = tuple[str, int, int]
"""An event's topic (without prefix), partition and offset."""
Ledgers = Mapping[TopicPartition, Ledger]
CommittedOffsets = Mapping[TopicPartition, OffsetAndMetadata]
CommitOffsets = Callable[[CommittedOffsets], Awaitable[Any]]


class Acknowledgements:
    """Knows which events of an agent are in flight, retried and done, and commits the last.

    They are open from the moment at which the tables are recovered and the consumer is at the
    committed offsets until partitions are revoked. ``Flow`` takes events meanwhile.
    """

    def __init__(
        self,
        topics: Mapping[str, Topic],
        log_reader: LogReader,
        loop_watch: LoopWatch,
        capacity: Capacity,
        first: Topic | None = None,
    ) -> None:
        """``topics`` are the agent's inputs by their full names.

        All events on the topic ``first`` at an assignment are done before anything else of the
        partition is read. If a worker dies between an answer and its row, the request is read
        again: changes that were read before it would not reach the client, which already has its
        answer.
        """
        self.topics = topics
        self.capacity = capacity
        self.log_reader = log_reader
        self.membership = loop_watch.membership
        self.poison_messages = PoisonMessages(loop_watch.membership.now)
        self.topic_ids = TopicIds(topics, log_reader.topic_ids)
        self.ledgers: dict[TopicPartition, Ledger] = {}
        """The ledgers of the input partitions: another dict with each assignment."""
        # Signs of life besides commits, per partition: an event had to be retried, a part of
        # a long one was done, or one that others wait for. The watchdog reads them.
        self.signs: Counter[int] = Counter()
        self._loop_watch = loop_watch
        self._retried: set[EventKey] = set()
        self._first = first
        self._waited_for: dict[int, int] = {}
        """The offset on the first topic that each partition waits for, if any."""
        # Partitions that had nothing left to handle when they were assigned.
        self._idle: set[TopicPartition] = set()
        self._written: dict[TopicPartition, OffsetAndMetadata] = {}
        """The commits of this assignment."""
        self._settled: int | None = None
        """Events that had been taken when all was done and committed."""
        # Older metadata must not overtake a newer one.
        self._committing = asyncio.Lock()

    async def log_ends(self, committed: Mapping[TopicPartition, int]) -> dict[TopicPartition, int]:
        """Return the offset of the next message to come in each partition, before ``open``."""
        bounds = await self.log_reader.all_bounds(list(committed))
        ends = {tp: end for tp, (_, end) in bounds.items()}
        self._idle = {tp for tp, end in ends.items() if committed[tp] >= end}
        return ends

    async def load_first(self, committed: Mapping[TopicPartition, int]) -> None:
        """Look up the last message on the first topic, per partition; later ones hold nothing."""
        first = {tp: at for tp, at in committed.items() if self.topics[tp.topic] == self._first}
        found = await self.log_reader.last_from(first) if first else {}
        # A partition without such messages is not in here, so it waits for nothing.
        self._waited_for = {tp.partition: last for tp, last in found.items()}

    def open(
        self,
        committed: Mapping[TopicPartition, int | None],
        metadata: Mapping[TopicPartition, CommitMetadata],
    ) -> None:
        """Begin with the input partitions of a new assignment at their committed offsets.

        The last owners of the partitions have committed ``metadata`` with these offsets.
        """
        self.ledgers = {tp: Ledger(offset) for tp, offset in committed.items()}
        positions = {tp: at or 0 for tp, at in committed.items()}
        self.poison_messages.begin(positions, metadata, idle=self._idle)
        self._retried.clear()
        self._written.clear()
        self._settled = None
        self.capacity.open()

    def is_current(self, ledgers: Ledgers) -> bool:
        """Whether an assignment goes on; each wait may have seen its end, or that of the next."""
        return self.capacity.is_open and ledgers is self.ledgers

    @property
    def partitions(self) -> frozenset[int]:
        """The partitions of which events may begin; none after the assignment is closed."""
        # The timer sends for these only, and its messages count as this worker's.
        return frozenset(tp.partition for tp in self.ledgers if self.capacity.is_open)

    def finish(self, taken: TakenEvent) -> None:
        """Acknowledge an event; its outcome is durable."""
        partition = taken.event.partition
        taken.ledger.done(taken.event.offset)
        if partition in self._waited_for:
            self.signs[partition] += 1
            if taken.ledger.is_done(self._waited_for[partition]):
                del self._waited_for[partition]
        self.capacity.leave(taken.size)

    def begin_timed(self) -> None:
        """Count an outcome of the timer as in flight, so that a close lets it finish."""
        self.membership.begin_work()
        self.capacity.hold()

    def signal(self) -> None:
        """Show that this is alive: what one event waits for, or does, may hold up all others."""
        self.signs.update(self.partitions)

    def begin_retry(self, events: Iterable[Event]) -> None:
        """Note that store or broker, not these events, keep them in hand."""
        self._retried.update(map(_key, events))
        self.signal()
        self.capacity.look_again()

    def end_retry(self, events: Iterable[Event]) -> None:
        """Note that these events are retried no more."""
        self._retried.difference_update(map(_key, events))

    def is_retried(self, event: Event) -> bool:
        """Whether an event is retried."""
        return _key(event) in self._retried

    @property
    def timed(self) -> list[int]:
        """The partitions in which the timer may decide now.

        Not those of which the first topic is still waited for. An agent with a first topic has none
        while its capacity is full: what comes before the timer may then still be unread.
        """
        if self._first is not None and self.capacity.is_full:
            return []
        return [each for each in self.partitions if each not in self._waited_for]

    @property
    def are_retrying(self) -> bool:
        """Whether any event is retried: an end of the process is the fault of none then."""
        return bool(self._retried)

    @property
    def is_at_work(self) -> bool:
        """Whether an event is in hand that could end the process: none does that is retried."""
        return self.capacity.in_flight > len(self._retried)

    def committable(self) -> dict[TopicPartition, int]:
        """Return the next offset of each partition; all before it are done."""
        # After a freeze another worker may own these, and have committed more.
        self._loop_watch.check()
        positions = {tp: ledger.position for tp, ledger in self.ledgers.items()}
        return {tp: offset for tp, offset in positions.items() if offset is not None}

    def metadata(self, partition: TopicPartition) -> str:
        """Return the text to commit with the position of a partition."""
        ledger, topic = self.ledgers[partition], self.topic(partition)
        in_hand = (
            offset
            for offset in ledger.in_hand()
            if (topic, partition.partition, offset) not in self._retried
        )
        found = self.poison_messages.metadata(partition, ledger.position or 0, in_hand)
        return replace(found, topic=self.topic_ids.of(partition)).encoded()

    @property
    def is_commit_due(self) -> bool:
        """Whether there may be something to commit; the metadata that would say so costs more."""
        return self.capacity.in_flight > 0 or self.capacity.entered != self._settled

    async def commit(self, commit: CommitOffsets, assigned: Container[TopicPartition]) -> None:
        """Commit with aiokafka's ``commit`` the assigned partitions of which the broker has less.

        Each offset has the metadata of its partition; Faust commits an empty text.
        """
        async with self._committing:
            due = {
                tp: found
                for tp, at in self.committable().items()
                if tp in assigned
                and (found := OffsetAndMetadata(at, self.metadata(tp))) != self._written.get(tp)
            }
            if due:
                await commit(due)
                self._written |= due
            else:  # the broker has all there is, until a further event is taken
                self._settled = None if self.capacity.in_flight else self.capacity.entered

    def topic(self, partition: TopicPartition) -> str:
        """Return the name of an input partition's topic, without its prefix."""
        return self.topics[partition.topic].name

    def is_input(self, partition: TopicPartition) -> bool:
        """Whether a partition is of a topic that the agent reads."""
        return partition.topic in self.topics

    def is_readable(self, partition: TopicPartition) -> bool:
        """Whether messages of a partition may be read now."""
        is_first = self.topics.get(partition.topic) == self._first
        return self.capacity.is_open and (is_first or partition.partition not in self._waited_for)


def _key(event: Event) -> EventKey:
    return event.topic, event.partition, event.offset
