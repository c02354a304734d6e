"""Events of an assignment that are in flight and done, and what is committed of them."""

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import replace

from aiokafka import TopicPartition

from connectors.kafka.log_reader import LogReader
from schemas.records.topics import Topic
from streams.engine.acks.assignment import Assignment
from streams.engine.acks.capacity import Capacity
from streams.engine.acks.commit_metadata import CommitMetadata
from streams.engine.acks.first_topic import FirstTopic
from streams.engine.acks.poison_messages import PoisonMessages
from streams.engine.acks.runner import TakenEvent
from streams.engine.acks.topic_ids import TopicIds
from streams.engine.life.loop_watch import LoopWatch
from streams.values.outcome import Event

EventKey = tuple[str, int, int]
"""An event's topic (without prefix), partition and offset."""


class Acknowledgements:
    """Knows which events of an agent are in flight, retried and done.

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
        partition is read.
        """
        self.capacity = capacity
        self.membership = loop_watch.membership
        self.poison_messages = PoisonMessages(loop_watch.membership.now)
        self.assignment = Assignment(log_reader, capacity, self.poison_messages)
        self.first_topic = FirstTopic(first, topics, log_reader)
        self.topic_ids = TopicIds(topics, log_reader.topic_ids)
        self.partitions: frozenset[int] = frozenset()
        # Signs of life besides commits, per partition: an event had to be retried, a part of
        # a long one was done, or one that others wait for. The watchdog reads them.
        self.signs: Counter[int] = Counter()
        self._topics = topics
        self._loop_watch = loop_watch
        self._retried: set[EventKey] = set()

    def open(
        self,
        committed: Mapping[TopicPartition, int | None],
        metadata: Mapping[TopicPartition, CommitMetadata],
    ) -> None:
        """Begin with the input partitions of a new assignment at their committed offsets.

        The last owners of the partitions have committed ``metadata`` with these offsets.
        """
        self.assignment.begin(committed, metadata)
        self._retried.clear()
        self.partitions = frozenset(tp.partition for tp in committed)
        self.capacity.open()

    def close(self) -> None:
        """Begin no further event of these partitions."""
        self.capacity.close()
        # The timer sends for these only, and its messages count as this worker's.
        self.partitions = frozenset()

    def finish(self, taken: TakenEvent) -> None:
        """Acknowledge an event; its outcome is durable."""
        partition = taken.event.partition
        taken.ledger.done(taken.event.offset)
        if self.first_topic.is_waited_for(partition):
            self.signs[partition] += 1
            self.first_topic.release(partition, taken.ledger)
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
        if self.first_topic.first is not None and self.capacity.is_full:
            return []
        return [each for each in self.partitions if not self.first_topic.is_waited_for(each)]

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
        positions = {tp: ledger.position for tp, ledger in self.assignment.ledgers.items()}
        return {tp: offset for tp, offset in positions.items() if offset is not None}

    def metadata(self, partition: TopicPartition) -> str:
        """Return the text to commit with the position of a partition."""
        ledger, topic = self.assignment.ledgers[partition], self.topic(partition)
        in_hand = (
            offset
            for offset in ledger.in_hand()
            if (topic, partition.partition, offset) not in self._retried
        )
        found = self.poison_messages.metadata(partition, ledger.position or 0, in_hand)
        return replace(found, topic=self.topic_ids.of(partition)).encoded()

    def topic(self, partition: TopicPartition) -> str:
        """Return the name of an input partition's topic, without its prefix."""
        return self._topics[partition.topic].name

    def is_input(self, partition: TopicPartition) -> bool:
        """Whether a partition is of a topic that the agent reads."""
        return partition.topic in self._topics

    def is_readable(self, partition: TopicPartition) -> bool:
        """Whether messages of a partition may be read now."""
        return self.capacity.is_open and not self.first_topic.holds(partition)


def _key(event: Event) -> EventKey:
    return event.topic, event.partition, event.offset
