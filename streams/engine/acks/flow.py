"""The way of an event through a stage: taken, handled, applied, acknowledged."""

import asyncio
from collections import Counter, defaultdict
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, Protocol

import structlog
from faust.types import TP

from connectors.registry.codec import Codec
from schemas.wire import Undecodable
from streams.core.outcome import Event
from streams.engine.acks.ledger import Ledger
from streams.engine.life.pulse import Pulse, end_process
from streams.topics import Topic

log = structlog.get_logger()

Count = Callable[[str, str], None]
"""Takes note of an event, by its topic and how handling it ended."""

Done = Mapping[int, Mapping[str, int]]
"""Per partition and input topic (without prefix), the offset up to which all is done."""


@dataclass(frozen=True, slots=True)
class Taken:
    """An event in flight and the ledger that waits for it."""

    event: Event
    ledger: Ledger


class Runner(Protocol):
    """Handles events; decides on order and concurrency."""

    async def load(self, done: Done) -> None:
        """Build what the stage keeps in memory of these partitions."""

    def submit(self, taken: Taken) -> None:
        """Accept an event; ``Flow.finish`` is called when it is handled."""

    def stop(self) -> None:
        """Cancel what is still at work."""


class Log(Protocol):
    """Tells what there is in a log; may raise KafkaError."""

    async def first_from(self, topic: str, partition: int, offset: int) -> int:
        """Give the offset of the first message at ``offset`` or later; waits for one."""

    async def bounds(self, topic: str, partition: int) -> tuple[int, int]:
        """Give the offset before which messages were deleted, and that of the next one."""

    async def last_from(self, since: Mapping[TP, int]) -> Mapping[TP, int]:
        """Give each partition's last offset, of those with a message at ``since`` or later."""


def _uncounted(topic: str, outcome: str) -> None:
    """Take no note."""


class Flow:
    """Takes events while it is open, at most ``room`` at a time, and acknowledges them.

    It is closed from the moment partitions are revoked until the tables are
    recovered and the consumer stands at the committed offsets again. What was on
    the ``first`` topic by then is done before anything else of its partition is read.
    """

    def __init__(
        self,
        topics: Mapping[str, Topic],
        pulse: Pulse,
        log: Log,
        room: int,
        first: Topic | None = None,
        count: Count = _uncounted,
        codec: Codec | None = None,
    ) -> None:
        """Take the stage's input topics by their full names; set ``runner`` before use.

        ``count`` is told of each event that was decided on. ``signs`` counts signs of
        life besides commits, per partition: an event had to be tried again, or one was
        done that others wait for. ``shortened`` are inputs whose offsets go back.
        """
        self.runner: Runner
        self.partitions: frozenset[int] = frozenset()
        self.is_open = False
        self.signs: Counter[int] = Counter()
        self.shortened: set[TP] = set()
        self.count = count
        self._topics = topics
        self._pulse = pulse
        self._log = log
        self._limit = room
        self._first = first
        self._codec = codec or Codec()
        self._last_of_first: dict[int, int] = {}
        self._ledgers: dict[TP, Ledger] = {}
        self._in_flight = 0
        self._room = asyncio.Event()
        self._idle = asyncio.Event()

    async def load(self, committed: Mapping[TP, int]) -> None:
        """Have the runner take up the input partitions of a new assignment."""
        done: defaultdict[int, dict[str, int]] = defaultdict(dict)
        for tp in sorted(committed, key=lambda tp: tp.partition):
            done[tp.partition][self._topics[tp.topic].name] = committed[tp]
        await self.runner.load(done)
        first = {tp: at for tp, at in committed.items() if self._topics[tp.topic] == self._first}
        found = await self._log.last_from(first) if first else {}
        self._last_of_first = {tp.partition: last for tp, last in found.items()}

    def open(self, committed: Mapping[TP, int | None]) -> None:
        """Begin with the input partitions of a new assignment at their committed offsets."""
        self._ledgers = {tp: Ledger(offset) for tp, offset in committed.items()}
        self.shortened.clear()
        self.partitions = frozenset(tp.partition for tp in committed)
        self._in_flight = 0
        self._idle.set()
        self.is_open = True

    async def close(self, patience: float) -> None:
        """Take nothing new, give what is at work ``patience`` s, cancel the rest."""
        self.is_open = False
        self.partitions = frozenset()
        self._room.set()
        try:
            async with asyncio.timeout(patience):
                await self._idle.wait()
        except TimeoutError:
            log.warning("unfinished events will be read again", count=self._in_flight)
        self.runner.stop()

    def committable(self) -> dict[TP, int]:
        """The next offset of each partition; all before it are done."""
        self._pulse.check()
        positions = {tp: ledger.position for tp, ledger in self._ledgers.items()}
        return {tp: offset for tp, offset in positions.items() if offset is not None}

    @property
    def inputs(self) -> tuple[TP, ...]:
        """The input partitions of this assignment."""
        return tuple(self._ledgers)

    @property
    def in_flight(self) -> int:
        """The number of events that are taken and not yet acknowledged."""
        return self._in_flight

    def topic(self, tp: TP) -> str:
        """Give the name of an input partition's topic, without its prefix."""
        return self._topics[tp.topic].name

    def is_readable(self, tp: TP) -> bool:
        """Whether messages of a partition may be read now."""
        return self.is_open and not self._is_held(tp)

    def _is_held(self, tp: TP) -> bool:
        return tp.partition in self._last_of_first and self._topics.get(tp.topic) != self._first

    async def take(self, message: Any) -> None:
        """Accept one message of the consumer; waits while there is no room.

        What was taken before in this assignment is passed over: Faust seeks
        back more often than it needs to.
        """
        if not self._codec.knows(message.value):
            await self._codec.learn(message.value, self._signal)
        ledgers = self._ledgers
        ledger = ledgers.get(message.tp)
        while self.is_open and self._in_flight >= self._limit:
            self._room.clear()
            await self._room.wait()
        if self.is_open and ledger is not None and message.offset < ledger.begin:
            ledger = await self._look_back(message, ledger)
        if self.is_open and ledger is not None and ledger.is_beyond(message.offset):
            await self._pass_hole(message, ledger)
        if not self.is_open or ledger is None or ledgers is not self._ledgers:
            return
        if not ledger.take(message.offset):
            return
        self._in_flight += 1
        self._idle.clear()
        self.runner.submit(Taken(self._event(message), ledger))

    def _signal(self) -> None:
        """Show that we live: while one message waits for its schema, none is taken."""
        self.signs.update(self.partitions)

    async def _pass_hole(self, message: Any, ledger: Ledger) -> None:
        expected = ledger.expected or 0
        first = await self._log.first_from(message.topic, message.partition, expected)
        if first != message.offset:
            where = f"{message.topic}/{message.partition}"
            end_process(f"{where}: offset {first} was skipped, {message.offset} came instead")
        begin, _ = await self._log.bounds(message.topic, message.partition)
        if begin > expected:
            lost = {"topic": message.topic, "partition": message.partition, "begin": expected}
            log.error("messages were deleted before they were read", **lost, end=first)

    async def _look_back(self, message: Any, ledger: Ledger) -> Ledger:
        """Begin anew where the log ends before what was done, as a broker's may after a power loss.

        The consumer reads all of it again then. New messages have the offsets of lost ones,
        so who passes over what was done before passes over these.
        """
        ledger.begin = 0  # one look is enough
        _, end = await self._log.bounds(message.topic, message.partition)
        if end >= (ledger.expected or 0) or self._ledgers.get(message.tp) is not ledger:
            return ledger
        where = {"topic": message.topic, "partition": message.partition}
        log.error("the log ends before what was read", **where, end=end, read=ledger.expected)
        self.shortened.add(message.tp)
        self._ledgers[message.tp] = Ledger(message.offset)
        return self._ledgers[message.tp]

    def finish(self, taken: Taken) -> None:
        """Acknowledge an event whose outcome is durable."""
        taken.ledger.done(taken.event.offset)
        self._release(taken)
        self._in_flight -= 1
        self._room.set()
        if self._in_flight == 0:
            self._idle.set()

    def _release(self, taken: Taken) -> None:
        """Let a partition's other inputs be read once the first one is caught up."""
        partition = taken.event.partition
        last = self._last_of_first.get(partition)
        if last is None:
            return
        self.signs[partition] += 1
        if taken.ledger.is_done(last):
            del self._last_of_first[partition]

    def _event(self, message: Any) -> Event:
        topic = self._topics[message.topic]
        fact: Any
        try:
            fact = self._codec.decode(message.value, *topic.kinds, allow_json=topic.allow_json)
        except Undecodable as error:
            fact = error
        return Event(
            topic.name,
            message.partition,
            message.offset,
            round(message.timestamp * 1000),
            message.key,
            message.value,
            tuple(message.headers or ()),
            fact,
        )
