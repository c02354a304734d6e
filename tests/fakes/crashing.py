"""An agent's process that ends while it handles an event, and starts again with Kafka's memory."""

import asyncio
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from typing import Any

from aiokafka import TopicPartition

from connectors.registry.codec import Codec
from schemas.codec import wire
from schemas.records.table_rows import TickedThrough
from schemas.records.topics import DEAD_LETTERS, Topic
from streams.engine.acks.acknowledgements import Acknowledgements
from streams.engine.acks.capacity import Capacity
from streams.engine.acks.commit_metadata import CommitMetadata
from streams.engine.acks.flow import Flow
from streams.engine.acks.process_agents import ProcessAgents
from streams.engine.life.loop_watch import LoopWatch
from streams.engine.life.membership import SHARED
from streams.engine.runners.batched import BatchedRunner
from streams.engine.runners.handling import Handling
from streams.engine.runners.ordered import OrderedRunner
from streams.engine.runners.outcomes import OutcomeWriter
from streams.engine.runners.pool import PoolRunner
from streams.engine.runners.throttle import Throttle
from streams.values.agent import Agent
from streams.values.outcome import Event, Lookup, Outcome, Owned, Send
from tests.fakes.engine import Durable, Message, uncounted

Place = tuple[TopicPartition, int]
"""An event, by its partition and offset."""
VALUE = wire.encode(TickedThrough(0))


class Killed(BaseException):
    """The process ends here: nothing catches this."""


@dataclass
class Group:
    """What Kafka has of an agent: its inputs, what was committed and noted, its dead letters."""

    agent: Agent
    log: dict[TopicPartition, int]
    committed: dict[TopicPartition, tuple[int, str]] = field(default_factory=dict)
    commits: int = 0
    letters: list[Send] = field(default_factory=list)
    now: float = 0.0

    def given_up(self) -> list[tuple[str, int, str]]:
        """Return topic, offset and reason of each dead letter."""
        found = [dict(letter.headers) for letter in self.letters]
        return [
            (
                headers["__connect.errors.topic"].decode(),
                int(headers["__connect.errors.offset"]),
                headers["__connect.errors.exception.message"].decode(),
            )
            for headers in found
        ]


def group_of(agent: Agent, messages: int, partitions: int = 2) -> Group:
    """Return a group with so many messages on each partition of an agent's inputs."""
    places = [TopicPartition(f"x.{t.name}", p) for t in agent.reads for p in range(partitions)]
    return Group(agent, dict.fromkeys(places, messages))


class AnyAgent:
    """An agent of any kind: ``fatal`` events end the process, ``slow`` ones stay at work."""

    most_events = 500

    def __init__(self, fatal: Iterable[Place], slow: Iterable[Place]) -> None:
        self.fatal, self.slow = set(fatal), set(slow)
        self.handled: list[Place] = []
        self.died = asyncio.Event()

    def key(self, event: Event) -> str | None:
        return None

    def begin(self, partition: int) -> None: ...

    def load(self, partition: int, key: bytes, value: bytes) -> None: ...

    async def assigned(self, partitions: Sequence[Owned]) -> None: ...

    def released(self) -> None: ...

    def decide(self, event: Event) -> Outcome:
        place = TopicPartition(f"x.{event.topic}", event.partition), event.offset
        if place in self.fatal:
            self.died.set()
            raise Killed
        self.handled.append(place)
        return Outcome((Send("out", None, event.fact),))

    async def handle(self, event: Event, lookup: Lookup) -> Outcome:
        await self.write([event], bool)
        return self.decide(event)

    def took(self, events: int, seconds: float, *, is_written: bool) -> None: ...

    async def write(self, events: Sequence[Event], signal: Callable[[], object]) -> None:
        for event in events:
            place = TopicPartition(f"x.{event.topic}", event.partition), event.offset
            if place in self.slow:
                await asyncio.Event().wait()
            if place in self.fatal:
                self.died.set()
                await asyncio.Event().wait()


class Life:
    """One process of a group, from its start to its end; ``process`` may have other agents, too.

    With an ``error`` nothing that it decides can be made durable.
    """

    def __init__(
        self,
        group: Group,
        fatal: Iterable[Place] = (),
        slow: Iterable[Place] = (),
        error: Exception | None = None,
        process: ProcessAgents | None = None,
    ) -> None:
        self.group = group
        self.agent = AnyAgent(fatal, slow)
        self.durable = Durable()
        loop_watch = LoopWatch(SHARED, lambda: group.now)
        agent = group.agent
        topics = {f"x.{t.name}": _with_ticks(t) for t in agent.reads}
        log: Any = self
        self.acks = Acknowledgements(topics, log, loop_watch, Capacity(agent.max_in_flight))
        process = process or ProcessAgents()
        process.add(self.acks, self.commit)
        throttle = Throttle(agent.max_in_progress or agent.max_in_flight)
        runners: dict[str, Callable[..., Any]] = {
            "ordered": OrderedRunner,
            "pool": partial(PoolRunner, throttle=throttle),
            "batched": BatchedRunner,
        }
        if error is not None:
            self.durable.errors = [error] * 1000
        durable: Any = self.durable
        handling = Handling(agent.name, self.acks, process, uncounted)
        self.runner = runners[agent.runner](
            self.agent, OutcomeWriter(durable.publish, {}), handling
        )
        self.flow = Flow(self.acks, Codec(), self.runner, process, self.commit)
        loop_watch.beat()
        loop_watch.membership.begin(group.now)

    async def commit(self) -> bool:
        """Commit as the worker does: what is done, with the notes."""
        self.group.commits += 1
        for tp, offset in self.acks.committable().items():
            self.group.committed[tp] = offset, self.acks.metadata(tp)
        return True

    async def run(self) -> bool:
        """Handle all that waits; returns True if the process ended meanwhile.

        One that is stuck with a slow event, and nothing else, has not ended.
        """
        await self.begin()
        for _ in range(200):
            await asyncio.sleep(0)
        self.note_letters()
        if self.agent.died.is_set():
            self.kill()
        return self.agent.died.is_set()

    async def begin(self) -> None:
        """Begin to handle all that waits."""
        committed = self.group.committed
        positions = {tp: committed.get(tp, (0, ""))[0] for tp in self.group.log}
        await self.flow.load(positions)
        metadata = {tp: CommitMetadata.decoded(text) for tp, (_, text) in committed.items()}
        self.acks.open(positions, metadata)
        await self.commit()
        self._feeding = asyncio.create_task(self._feed(positions))

    def note_letters(self) -> None:
        """Note the dead letters that were published."""
        self.group.letters += [s for s in self.durable.sends if s.topic == DEAD_LETTERS.name]

    def kill(self) -> set[Place]:
        """End at once: nothing is committed any more; return what is in hand."""
        self._feeding.cancel()
        self.runner.stop()
        ledgers = self.acks.ledgers.items()
        return {(tp, offset) for tp, ledger in ledgers for offset in ledger.in_hand()}

    async def stop(self) -> None:
        """End as asked: let go and commit."""
        await self.flow.close(0)
        await self.commit()

    async def _feed(self, positions: Mapping[TopicPartition, int]) -> None:
        for offset in range(max(self.group.log.values())):
            for tp, begin in positions.items():
                if begin <= offset < self.group.log[tp]:
                    await self.flow.take(Message(offset, VALUE, tp=tp))

    # as a log

    async def first_from(self, topic: str, partition: int, offset: int) -> int:
        return offset

    async def bounds(self, topic: str, partition: int) -> tuple[int, int]:
        return 0, max(self.group.log.values())

    async def all_bounds(
        self, places: Sequence[TopicPartition]
    ) -> Mapping[TopicPartition, tuple[int, int]]:
        return {tp: (0, self.group.log[tp]) for tp in places}

    async def topic_ids(self, topics: Collection[str]) -> Mapping[str, str]:
        return {}

    async def last_from(self, since: Mapping[TopicPartition, int]) -> Mapping[TopicPartition, int]:
        return {}


def _with_ticks(topic: Topic) -> Topic:
    return replace(topic, kinds=(TickedThrough,), allow_json=False)
