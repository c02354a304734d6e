"""An agent's engine without Kafka: messages in, a journal of what was made durable out."""

import asyncio
from collections.abc import Awaitable, Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from aiokafka import TopicPartition

from connectors.registry.codec import Codec
from schemas.codec import wire
from schemas.records.requests import Expire
from schemas.records.table_rows import TickedThrough
from schemas.records.topics import Topic
from streams.engine.acks.acknowledgements import Acknowledgements
from streams.engine.acks.capacity import Capacity
from streams.engine.acks.flow import Flow
from streams.engine.acks.process_agents import ProcessAgents
from streams.engine.acks.runner import Runner
from streams.engine.life.loop_watch import LoopWatch
from streams.engine.life.membership import SHARED
from streams.engine.runners.handling import Count, Handling
from streams.engine.runners.outcomes import OutcomeWriter
from streams.values.agent import MAX_IN_FLIGHT_BYTES
from streams.values.outcome import Event, Lookup, Outcome, Owned, Put, Send

INPUT = TopicPartition("x.in", 0)
TOPIC = Topic("in", (TickedThrough, Expire))
OTHER = TopicPartition("x.other", 0)
OTHERS = Topic("other", (TickedThrough,))


@dataclass
class Message:
    """What the consumer gives; ``timestamp`` in epoch ms."""

    offset: int
    value: bytes | None
    key: bytes | None = b"key"
    tp: TopicPartition = INPUT
    timestamp: int = 1500
    headers: Any = None

    @property
    def topic(self) -> str:
        return str(self.tp.topic)

    @property
    def partition(self) -> int:
        return int(self.tp.partition)


def tick(offset: int, time: int = 0) -> Message:
    """Return a good message."""
    return Message(offset, wire.encode(TickedThrough(time)))


@dataclass
class Durable:
    """Producer and table at once; ``journal`` has what became durable, in order.

    Publishing waits for ``gate``; ``errors`` are raised first, one a call.
    """

    journal: list[tuple[str, Any]] = field(default_factory=list)
    sends: list[Send] = field(default_factory=list)
    rows_of: dict[int, dict[bytes, bytes]] = field(default_factory=dict)
    gate: asyncio.Event = field(default_factory=asyncio.Event)
    errors: list[Exception] = field(default_factory=list)

    def __post_init__(self) -> None:
        self.gate.set()

    async def publish(self, sends: Iterable[Send]) -> None:
        await self.gate.wait()
        if self.errors:
            raise self.errors.pop(0)
        for send in sends:
            self.sends.append(send)
            self.journal.append(("send", send.key))

    async def write(self, puts: Mapping[int, Sequence[Put]]) -> None:
        for partition, put in ((p, put) for p, several in puts.items() for put in several):
            assert put.record is not None
            self.rows_of.setdefault(partition, {})[put.key] = wire.encode(put.record)
            self.journal.append(("put", put.key))

    def get(self, partition: int, key: bytes) -> bytes | None:
        return self.rows_of.get(partition, {}).get(key)

    def rows(self, partition: int) -> Iterator[tuple[bytes, bytes]]:
        yield from self.rows_of.get(partition, {}).items()


def uncounted(topic: str, outcome: str) -> None:
    """Count nothing."""


class Engine:
    """An agent's engine, with the writer of its outcomes; ``use`` a runner first.

    ``committing`` is called for each commit. ``ended`` holds the reasons for which the process
    would have ended.
    """

    def __init__(
        self,
        max_in_flight: int = 1000,
        first: Topic | None = None,
        codec: Codec | None = None,
        max_bytes: int = MAX_IN_FLIGHT_BYTES,
        count: Count = uncounted,
        reported_elsewhere: Collection[str] = (),
    ) -> None:
        self.durable = Durable()
        self.ended: list[str] = []
        self.first = 0
        self.bounded = (0, 1000)
        self.looks = 0
        self.last: int | None = None
        self.while_looking: Callable[[], Awaitable[None]] | None = None
        self.now = 0.0
        self.loop_watch = LoopWatch(SHARED, lambda: self.now, self.ended.append)
        topics = {INPUT.topic: TOPIC, OTHER.topic: OTHERS}
        log: Any = self
        capacity = Capacity(max_in_flight, max_bytes)
        self.acks = Acknowledgements(topics, log, self.loop_watch, capacity, first)
        self.process = ProcessAgents()
        self.process.add(self.acks, self.commit)
        self.committing: Callable[[], object] = bool
        durable: Any = self.durable
        self.writer = OutcomeWriter(durable.publish, {"rows": durable})
        self.handling = Handling("test", self.acks, self.process, count, reported_elsewhere)
        self.parts = self.writer, self.handling
        """The arguments of every runner, after its agent."""
        self._codec = codec or Codec()
        self.flow: Flow

    def use(self, runner: Runner) -> None:
        """Let a runner handle the events."""
        process, commit = self.process, self.commit
        self.flow = Flow(self.acks, self._codec, runner, process, commit)

    async def commit(self) -> bool:
        self.committing()
        return True

    async def begin(self, position: int | None = 0, *others: TopicPartition) -> None:
        """Open as after a recovery; ``others`` are inputs that stand at 0."""
        zero = dict.fromkeys(others, 0)
        self.loop_watch.beat()
        self.loop_watch.membership.begin(self.now)
        await self.flow.load({INPUT: position or 0, **zero})
        self.acks.open({INPUT: position, **zero}, {})

    async def settle(self) -> None:
        """Return when nothing is in flight."""
        await self.acks.capacity.empty()

    # as a log

    async def first_from(self, topic: str, partition: int, offset: int) -> int:
        if self.while_looking is not None:
            await self.while_looking()
        return self.first

    async def bounds(self, topic: str, partition: int) -> tuple[int, int]:
        self.looks += 1
        return self.bounded

    async def all_bounds(
        self, places: Sequence[TopicPartition]
    ) -> Mapping[TopicPartition, tuple[int, int]]:
        return dict.fromkeys(places, self.bounded)

    async def topic_ids(self, topics: Collection[str]) -> Mapping[str, str]:
        return {}

    async def last_from(self, since: Mapping[TopicPartition, int]) -> Mapping[TopicPartition, int]:
        last = self.last
        return {} if last is None else {tp: last for tp, at in since.items() if at <= last}


class Agent:
    """An agent of either kind: one output and one put per event; events by their offset.

    ``poison`` offsets raise, ``gates`` hold others up, ``broken`` ones raise OSError
    as often as said. One that ``is_silent`` has no outputs and no puts.
    """

    def __init__(self) -> None:
        self.is_silent = False
        self.begun: list[int] = []
        self.decided: list[int] = []
        self.partitions: list[int] = []
        self.owned: Sequence[Owned] = ()
        self.loaded: list[tuple[int, bytes, bytes]] = []
        self.looked_up: list[bytes | None] = []
        self.poison: set[int] = set()
        self.broken: dict[int, int] = {}
        self.gates: dict[int, asyncio.Event] = {}
        self.keys: dict[int, str] = {}
        self.releases = 0

    # as a lane's

    def begin(self, partition: int) -> None:
        self.partitions.append(partition)

    def load(self, partition: int, key: bytes, value: bytes) -> None:
        self.loaded.append((partition, key, value))

    def decide(self, event: Event) -> Outcome:
        if event.offset in self.poison:
            raise ValueError(f"poison {event.offset}")
        self.decided.append(event.offset)
        if self.is_silent:
            return Outcome()
        name = str(event.offset)
        return Outcome((Send("out", name, event.fact),), (Put(name.encode(), event.fact),))

    def tick(self, partition: int, now: int) -> Outcome:
        return Outcome()

    # as a pool's

    def key(self, event: Event) -> str | None:
        return self.keys.get(event.offset)

    async def assigned(self, partitions: Sequence[Owned]) -> None:
        self.owned = partitions
        self.partitions += [partition.number for partition in partitions]

    def released(self) -> None:
        self.releases += 1

    async def handle(self, event: Event, lookup: Lookup) -> Outcome:
        self.begun.append(event.offset)
        self.looked_up.append(lookup("rows", b"row"))
        if event.offset in self.gates:
            await self.gates[event.offset].wait()
        if self.broken.get(event.offset, 0) > 0:
            self.broken[event.offset] -= 1
            raise OSError("the world is broken")
        return self.decide(event)


async def take(engine: Engine, *offsets: int) -> None:
    """Hand over ticks, and let what they begin go as far as it can."""
    for offset in offsets:
        await engine.flow.take(tick(offset))
    for _ in range(5):
        await asyncio.sleep(0)
