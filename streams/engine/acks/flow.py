"""The way of an event through a stage: taken, handled, applied, acknowledged."""

import asyncio
from collections.abc import AsyncIterator, Collection, Mapping
from contextlib import asynccontextmanager, suppress
from typing import Any

import structlog
from aiokafka import TopicPartition
from aiokafka.errors import KafkaError

from connectors.registry.codec import Codec
from streams.engine.acks.acknowledgements import Acknowledgements
from streams.engine.acks.assignment import Assignment
from streams.engine.acks.breaker import CrashBreaker
from streams.engine.acks.decoding import EventDecoder
from streams.engine.acks.gaps import Log
from streams.engine.acks.intake import Commit, Intake
from streams.engine.acks.ledger import Ledger
from streams.engine.acks.notes import Note
from streams.engine.acks.precedence import Precedence
from streams.engine.acks.process_flows import ProcessFlows
from streams.engine.acks.room import Room
from streams.engine.acks.runner import Runner, Taken, by_partition
from streams.engine.acks.topic_ids import TopicIds
from streams.engine.errors import is_of_the_world
from streams.engine.life.pulse import Pulse, end_process
from streams.values.outcome import Event
from streams.values.topics import Topic

log = structlog.get_logger()

LAST_COMMIT_TIMEOUT_S = 3.0


async def _uncommitted() -> bool:
    """Commit nothing."""
    return True


class Flow(Acknowledgements):
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
        assignment = Assignment(log, room, CrashBreaker(pulse.membership.now))
        super().__init__(
            pulse,
            room,
            assignment,
            Precedence(first, topics, log),
            decoder=EventDecoder(topics, codec or Codec()),
            topic_ids=TopicIds(topics, log.topic_ids),
        )
        self.runner: Runner
        self.commit: Commit = _uncommitted
        # Topics, without prefix, of which another stage reports what cannot be read.
        self.reported_elsewhere: Collection[str] = ()
        self._process = process or ProcessFlows()
        self._process.add(self)
        self._intake = Intake(
            self,
            assignment=assignment,
            decoder=self._decoder,
            room=room,
            retries=self._retries,
            process=self._process,
        )

    async def load(self, committed: Mapping[TopicPartition, int]) -> None:
        """Let the runner load the input partitions of a new assignment."""
        ends = await self._assignment.log_ends(committed)
        done, coming = (by_partition(each, self.topic) for each in (committed, ends))
        await self.runner.load(done, coming)
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
        self._assignment.begin(committed, notes or {})
        self._retries.clear()
        self.partitions = frozenset(tp.partition for tp in committed)
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
        """Accept one message of the consumer, as ``Intake`` does."""
        await self._intake.take(message)

    async def may_work(self) -> None:
        """Wait while another worker may soon own our partitions."""
        await self._pulse.membership.may_work()

    def submit(self, event: Event, ledger: Ledger) -> None:
        """Hand an event to the runner."""
        taken = Taken(event, ledger)
        self._room.enter(taken.size)
        self.runner.submit(taken)

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
        if self._retries:
            await self._process.let_go(self)
        end_process(reason)

    async def end_blameless(self, reason: str) -> None:
        """End the process; nothing in hand is to blame."""
        await self._process.let_go(self)
        end_process(reason)

    async def let_go(self) -> None:
        """Note that nothing in hand is to blame for the end that follows."""
        self._breaker.let_go()
        with suppress(TimeoutError, KafkaError):
            await asyncio.wait_for(self.commit(), LAST_COMMIT_TIMEOUT_S)
