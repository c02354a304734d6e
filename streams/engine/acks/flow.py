"""The way of an event through a stage: taken, handled, applied, acknowledged."""

import asyncio
from collections import Counter, defaultdict
from collections.abc import AsyncIterator, Awaitable, Callable, Iterable, Mapping
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass, replace
from typing import Any, Protocol

import structlog
from aiokafka import TopicPartition
from aiokafka.errors import KafkaError

from connectors.registry.codec import Codec
from streams.core.outcome import Event
from streams.engine.acks.breaker import ALONE_AFTER, CAREFUL_ROOM, CrashBreaker
from streams.engine.acks.decoding import EventDecoder
from streams.engine.acks.gaps import Log, is_shortened, pass_gap
from streams.engine.acks.ledger import Ledger
from streams.engine.acks.notes import Note
from streams.engine.acks.precedence import Precedence
from streams.engine.acks.process_flows import ProcessFlows
from streams.engine.acks.room import Room
from streams.engine.acks.topic_ids import TopicIds
from streams.engine.errors import is_of_the_world
from streams.engine.life.pulse import Pulse, end_process
from streams.topics import Topic

log = structlog.get_logger()

LAST_COMMIT_TIMEOUT_S = 3.0

Count = Callable[[str, str], None]
"""Counts an event, by its topic and how its handling ended."""

Offsets = Mapping[int, Mapping[str, int]]
"""Per partition and input topic (without prefix)."""

Commit = Callable[[], Awaitable[bool]]
"""Commits what is done with the notes of what is in hand; returns False if that failed."""

Ledgers = Mapping[TopicPartition, Ledger]

Place = tuple[str, int, int]
"""An event's topic (without prefix), partition and offset."""


@dataclass(frozen=True, slots=True)
class Taken:
    """An event in flight and the ledger that waits for it."""

    event: Event
    ledger: Ledger


class Runner(Protocol):
    """Handles events; decides on order and concurrency."""

    async def load(self, done: Offsets, ends: Offsets) -> None:
        """Build what the stage keeps in memory of these partitions.

        All before the offsets ``done`` is done; ``ends`` are those of the next messages to come.
        """

    def submit(self, taken: Taken) -> None:
        """Accept an event, and call ``Flow.finish`` once its outcome is durable."""

    def stop(self) -> None:
        """Cancel what is still at work."""


def _size(event: Event) -> int:
    return len(event.value or b"")


def _place(event: Event) -> Place:
    return event.topic, event.partition, event.offset


async def _uncommitted() -> bool:
    """Commit nothing."""
    return True


def _uncounted(topic: str, outcome: str) -> None:
    """Count nothing."""


class Flow:
    """Takes events while it is open, at most ``room`` at a time, and acknowledges them.

    It is closed from the moment partitions are revoked until the tables are recovered and
    the consumer is at the committed offsets again. The calls of one assignment: ``load``,
    ``open``, then ``take`` and ``finish`` of each event, ``close``.
    """

    def __init__(
        self,
        topics: Mapping[str, Topic],
        pulse: Pulse,
        log: Log,
        room: Room,
        first: Topic | None = None,
        codec: Codec | None = None,
        process: ProcessFlows | None = None,
    ) -> None:
        """``topics`` are the stage's inputs by their full names; set ``runner`` before use.

        What is on the topic ``first`` at an assignment is done before anything else of its
        partition is read. ``process`` has the flows of all stages in this process; this one
        is added.
        """
        self.runner: Runner
        self.commit: Commit = _uncommitted
        self.partitions: frozenset[int] = frozenset()
        # Signs of life besides commits, per partition: an event had to be retried, a part of
        # a long one was done, or one that others wait for. The watchdog reads them.
        self.signs: Counter[int] = Counter()
        # Inputs with logs that were cut short: their committed offsets must go back.
        self.shortened: set[TopicPartition] = set()
        self.topic_ids = TopicIds(topics, log.topic_ids)
        # Called for each event that was handled.
        self.count: Count = _uncounted
        self._pulse = pulse
        self._log = log
        self._decoder = EventDecoder(topics, codec or Codec())
        self._precedence = Precedence(first, topics, log)
        self._room = room
        self._breaker = CrashBreaker(pulse.membership.now)
        self._ledgers: dict[TopicPartition, Ledger] = {}
        # Partitions that had nothing left to handle when they were assigned.
        self._idle: set[TopicPartition] = set()
        # No end of the process is the fault of these: store or broker had failed before.
        self._retried: set[Place] = set()
        self._process = process or ProcessFlows()
        self._process.add(self)

    async def load(self, committed: Mapping[TopicPartition, int]) -> None:
        """Let the runner load the input partitions of a new assignment."""
        bounds = await self._log.all_bounds(list(committed))
        ends = {tp: end for tp, (_, end) in bounds.items()}
        self._idle = {tp for tp, end in ends.items() if committed[tp] >= end}
        await self.runner.load(self._by_partition(committed), self._by_partition(ends))
        # After the load, which may take long: what has come meanwhile is then waited for, too.
        await self._precedence.load(committed)

    def open(
        self,
        committed: Mapping[TopicPartition, int | None],
        notes: Mapping[TopicPartition, Note] | None = None,
    ) -> None:
        """Begin with the input partitions of a new assignment at their committed offsets.

        ``notes`` are those of their last owners.
        """
        # A new dict, so that ``take`` can tell the assignments apart.
        self._ledgers = {tp: Ledger(offset) for tp, offset in committed.items()}
        self.shortened.clear()
        self._retried.clear()
        self.partitions = frozenset(tp.partition for tp in committed)
        positions = {tp: at or 0 for tp, at in committed.items()}
        self._breaker.begin(positions, notes or {}, idle=self._idle)
        self._room.open()

    async def close(self, timeout: float) -> None:  # noqa: ASYNC109 - after it, work is cancelled
        """Take nothing new, let what is at work finish for ``timeout`` s, cancel the rest."""
        self._room.close()
        # The timer sends for these only, and its messages count as this worker's.
        self.partitions = frozenset()
        if self.in_flight:
            log.info("finishing the events in hand", count=self.in_flight, at_most_s=timeout)
        try:
            async with asyncio.timeout(timeout):
                await self._room.empty()
        except TimeoutError:
            log.warning("unfinished events will be read again", count=self.in_flight)
        self.runner.stop()
        self._room.clear()
        self._breaker.let_go()

    async def take(self, message: Any) -> None:
        """Accept one message of the consumer; waits while there is no room.

        A message that was taken before in this assignment is passed over: Faust seeks back
        more often than it needs to.
        """
        await self._decoder.prepare(message.value, self.signal)
        assignment = self._ledgers
        ledger = assignment.get(message.tp)
        await self.may_work()
        await self._room.space()
        is_open = self.is_open
        if ledger is None or not is_open:
            return
        ledger = await self._checked(message, ledger)
        if self._breaker.is_careful(message.tp, message.offset):
            await self._take_with_care(message, ledger, assignment)
            return
        event = await self._decoder.event(message)
        await self._process.turn(self)
        if self._is_current(assignment) and ledger.take(message.offset):
            self._submit(event, ledger)

    async def may_work(self) -> None:
        """Wait while another worker may soon own our partitions."""
        await self._pulse.membership.may_work()

    def finish(self, taken: Taken) -> None:
        """Acknowledge an event; its outcome is durable."""
        partition, ledger = taken.event.partition, taken.ledger
        ledger.done(taken.event.offset)
        if self._precedence.is_waited_for(partition):
            self.signs[partition] += 1
            self._precedence.release(partition, ledger)
        self._room.leave(_size(taken.event))

    @asynccontextmanager
    async def ending(self, reason: str) -> AsyncIterator[None]:
        """End the process on any error within; nothing in hand is to blame for a broken world."""
        try:
            yield
        except Exception as error:  # noqa: BLE001 - whatever it is, do not go on
            if is_of_the_world(error):
                await self._process.let_go(self)
            end_process(reason, error)

    async def end(self, reason: str) -> None:
        """End the process; nothing in hand is to blame if an event is being retried."""
        if self._retried:
            await self._process.let_go(self)
        end_process(reason)

    async def end_blameless(self, reason: str) -> None:
        """End the process; nothing in hand is to blame."""
        await self._process.let_go(self)
        end_process(reason)

    def signal(self) -> None:
        """Show that this is alive: what one event waits for, or does, may hold up all others."""
        self.signs.update(self.partitions)

    def begin_retry(self, events: Iterable[Event]) -> None:
        """Note that store or broker, not these events, keep them in hand."""
        self._retried.update(map(_place, events))
        self.signal()
        self._room.look_again()

    def end_retry(self, events: Iterable[Event]) -> None:
        """Note that these events are retried no more."""
        self._retried.difference_update(map(_place, events))

    def committable(self) -> dict[TopicPartition, int]:
        """Return the next offset of each partition; all before it are done."""
        # After a freeze another worker may own these, and have committed more.
        self._pulse.check()
        positions = {tp: ledger.position for tp, ledger in self._ledgers.items()}
        return {tp: offset for tp, offset in positions.items() if offset is not None}

    @property
    def is_open(self) -> bool:
        """Whether events are taken now."""
        return self._room.is_open

    @property
    def in_flight(self) -> int:
        """The number of events that are taken and not yet acknowledged."""
        return self._room.in_flight

    @property
    def is_at_work(self) -> bool:
        """Whether an event is in hand that could end the process: none does that is retried."""
        return self.in_flight > len(self._retried)

    @property
    def inputs(self) -> tuple[TopicPartition, ...]:
        """The input partitions of this assignment."""
        return tuple(self._ledgers)

    def topic(self, partition: TopicPartition) -> str:
        """Return the name of an input partition's topic, without its prefix."""
        return self._decoder.name(partition)

    def is_readable(self, partition: TopicPartition) -> bool:
        """Whether messages of a partition may be read now."""
        return self.is_open and not self._precedence.holds(partition)

    def _by_partition(self, offsets: Mapping[TopicPartition, int]) -> Offsets:
        found: defaultdict[int, dict[str, int]] = defaultdict(dict)
        for tp in sorted(offsets, key=lambda tp: tp.partition):
            found[tp.partition][self.topic(tp)] = offsets[tp]
        return found

    def note(self, partition: TopicPartition) -> str:
        """Return the text to commit with the position of a partition."""
        ledger, topic = self._ledgers[partition], self.topic(partition)
        in_hand = (
            offset
            for offset in ledger.in_hand()
            if (topic, partition.partition, offset) not in self._retried
        )
        note = self._breaker.note(partition, ledger.position or 0, in_hand)
        return replace(note, topic=self.topic_ids.of(partition)).encoded()

    async def let_go(self) -> None:
        """Note that nothing in hand is to blame for the end that follows."""
        self._breaker.let_go()
        with suppress(TimeoutError, KafkaError):
            await asyncio.wait_for(self.commit(), LAST_COMMIT_TIMEOUT_S)

    async def _take_with_care(self, message: Any, ledger: Ledger, assignment: Ledgers) -> None:
        """Note an event before it is handled; one that may end the process is handled alone."""
        if self._breaker.ends(message.tp, message.offset) != ALONE_AFTER:
            await self._room.space_of(CAREFUL_ROOM)
            await self._take_noted(message, ledger, assignment)
            return
        await self._room.space_of(1)
        async with self._process.alone(self):
            event = await self._take_noted(message, ledger, assignment)
            if event is not None:
                # While it waits for its store it ends no process, and others may go on.
                await self._room.space_of(1, unless=lambda: _place(event) in self._retried)
                # At once: an end in the second before the next commit would count it in hand.
                await self.commit()

    async def _take_noted(self, message: Any, ledger: Ledger, assignment: Ledgers) -> Event | None:
        """Note an event, then submit it and return it, unless the assignment ends meanwhile."""
        if not self._is_current(assignment) or not ledger.take(message.offset):
            return None
        # What could not be noted is not handled, and read again in the next assignment.
        if not await self.commit():
            return None
        event = await self._decoder.event(message, self._breaker.ends(message.tp, message.offset))
        await self._process.turn(self)
        if not self._is_current(assignment):
            return None
        self._submit(event, ledger)
        return event

    def _submit(self, event: Event, ledger: Ledger) -> None:
        self._room.enter(_size(event))
        self.runner.submit(Taken(event, ledger))

    def _is_current(self, assignment: Ledgers) -> bool:
        """Whether an assignment goes on; each wait may have seen its end, or that of the next."""
        return self.is_open and assignment is self._ledgers

    async def _checked(self, message: Any, ledger: Ledger) -> Ledger:
        """Return the message's ledger once it is sure that no message before it is missing."""
        # Messages below the committed offset are either old ones again, or a shortened log's.
        if message.offset < ledger.begin:
            ledger = await self._looked_back(message, ledger)
        if self.is_open and ledger.is_beyond(message.offset):
            await pass_gap(self._log, message, ledger)
        return ledger

    async def _looked_back(self, message: Any, ledger: Ledger) -> Ledger:
        """Return a new ledger if the log ends before what was done.

        The consumer reads all of the log again then. New messages have the offsets of lost
        ones, so what was done before says nothing about these.
        """
        ledger.begin = 0  # one look is enough
        shortened = await is_shortened(self._log, message, ledger)
        if not shortened or self._ledgers.get(message.tp) is not ledger:
            return ledger
        self.shortened.add(message.tp)
        self._breaker.forget(message.tp)
        self._ledgers[message.tp] = Ledger(message.offset)
        return self._ledgers[message.tp]
