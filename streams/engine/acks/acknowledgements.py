"""What is in flight of an assignment, what of it is done, and what is committed of that."""

from collections import Counter
from collections.abc import Callable, Iterable
from dataclasses import replace

from aiokafka import TopicPartition

from streams.engine.acks.assignment import Assignment
from streams.engine.acks.decoding import EventDecoder
from streams.engine.acks.precedence import Precedence
from streams.engine.acks.retries import Retries
from streams.engine.acks.room import Room
from streams.engine.acks.runner import Taken
from streams.engine.acks.topic_ids import TopicIds
from streams.engine.life.pulse import Pulse
from streams.values.outcome import Event

Count = Callable[[str, str], None]
"""Counts an event, by its topic and how its handling ended."""


def _uncounted(topic: str, outcome: str) -> None:
    """Count nothing."""


class Acknowledgements:
    """Knows which events of a stage are in flight, retried and done; ``Flow`` takes them."""

    def __init__(
        self,
        pulse: Pulse,
        room: Room,
        assignment: Assignment,
        precedence: Precedence,
        decoder: EventDecoder,
        topic_ids: TopicIds,
    ) -> None:
        """Begin with nothing in flight; ``assignment`` has the ledgers of what will be."""
        self.partitions: frozenset[int] = frozenset()
        # Signs of life besides commits, per partition: an event had to be retried, a part of
        # a long one was done, or one that others wait for. The watchdog reads them.
        self.signs: Counter[int] = Counter()
        # Called for each event that was handled.
        self.count: Count = _uncounted
        self.topic_ids = topic_ids
        self._pulse = pulse
        self._room = room
        self._assignment = assignment
        self._breaker = assignment.breaker
        self._precedence = precedence
        self._decoder = decoder
        self._retries = Retries()

    def finish(self, taken: Taken) -> None:
        """Acknowledge an event; its outcome is durable."""
        taken.ledger.done(taken.event.offset)
        if self._precedence.is_waited_for(taken.event.partition):
            self.signs[taken.event.partition] += 1
            self._precedence.release(taken.event.partition, taken.ledger)
        self._room.leave(taken.size)

    def leave(self, taken: Taken) -> None:
        """Leave an event that was not begun to the next owner of its partition."""
        self._room.leave(taken.size)

    def signal(self) -> None:
        """Show that this is alive: what one event waits for, or does, may hold up all others."""
        self.signs.update(self.partitions)

    def begin_retry(self, events: Iterable[Event]) -> None:
        """Note that store or broker, not these events, keep them in hand."""
        self._retries.begin(events)
        self.signal()
        self._room.look_again()

    def end_retry(self, events: Iterable[Event]) -> None:
        """Note that these events are retried no more."""
        self._retries.end(events)

    def committable(self) -> dict[TopicPartition, int]:
        """Return the next offset of each partition; all before it are done."""
        # After a freeze another worker may own these, and have committed more.
        self._pulse.check()
        positions = {tp: ledger.position for tp, ledger in self._assignment.ledgers.items()}
        return {tp: offset for tp, offset in positions.items() if offset is not None}

    def note(self, partition: TopicPartition) -> str:
        """Return the text to commit with the position of a partition."""
        ledger, topic = self._assignment.ledgers[partition], self.topic(partition)
        in_hand = self._retries.others(topic, partition.partition, ledger.in_hand())
        note = self._breaker.note(partition, ledger.position or 0, in_hand)
        return replace(note, topic=self.topic_ids.of(partition)).encoded()

    @property
    def is_open(self) -> bool:
        """Whether events are taken now."""
        return self._room.is_open

    @property
    def in_flight(self) -> int:
        """The number of events that are taken and not yet acknowledged."""
        return self._room.in_flight

    @property
    def taken(self) -> int:
        """The number of events that were taken so far."""
        return self._room.entered

    @property
    def is_at_work(self) -> bool:
        """Whether an event is in hand that could end the process: none does that is retried."""
        return self.in_flight > len(self._retries)

    @property
    def shortened(self) -> set[TopicPartition]:
        """Inputs with logs that were cut short: their committed offsets must go back."""
        return self._assignment.shortened

    @property
    def inputs(self) -> tuple[TopicPartition, ...]:
        """The input partitions of this assignment."""
        return tuple(self._assignment.ledgers)

    def topic(self, partition: TopicPartition) -> str:
        """Return the name of an input partition's topic, without its prefix."""
        return self._decoder.name(partition)

    def is_input(self, partition: TopicPartition) -> bool:
        """Whether a partition is of a topic that the stage reads."""
        return self._decoder.reads(partition)

    def is_readable(self, partition: TopicPartition) -> bool:
        """Whether messages of a partition may be read now."""
        return self.is_open and not self._precedence.holds(partition)
