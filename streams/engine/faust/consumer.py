"""Faust's consumer, patched: what it reads, when it may read it, and what it commits."""

import asyncio
from collections.abc import Callable, Iterable
from typing import Any, cast

import structlog
from aiokafka import TopicPartition
from aiokafka.consumer.group_coordinator import GroupCoordinator
from aiokafka.errors import CommitFailedError, ConsumerStoppedError
from faust.transport.drivers import aiokafka
from faust.types import TP
from mode import Service
from mode.utils.futures import maybe_async

from connectors.kafka.reading import READ_COMMITTED
from connectors.kafka_patches.fair_polls import polled
from connectors.kafka_patches.long_fetches import LongFetches
from streams.engine.acks.acknowledgements import Acknowledgements
from streams.engine.acks.commit_metadata import CommitMetadata
from streams.engine.acks.flow import Flow
from streams.engine.faust.heartbeats import Heartbeats
from streams.engine.faust.parts import AppParts
from streams.engine.life.loop_watch import until_beat

log = structlog.get_logger()

POLL_TIMEOUT_S = 1.0
SHARE = 100
"""Messages of a partition that are taken before others have their turn."""
NO_GENERATION = -1
"""aiokafka's generation of a group of which it is no member (any more)."""


class ConsumerInLoop(aiokafka.AIOKafkaConsumerThread):
    """Reads Kafka in the worker's event loop.

    Faust has a thread for it, so that heartbeats go on while the loop stands still, and
    pays for each look for messages with two hand-overs. If its loop stands still, a worker of
    ours ends before its session does, see ``LoopWatch``.
    """

    async def start(self) -> None:
        """Return once the consumer is there; raises what keeps it from starting."""
        # What Faust's thread would do first; the rest of its class relies on both.
        self._thread_started.set()
        self._thread_running = self.parent_loop.create_future()
        self._serving = asyncio.create_task(self._serve())
        await self._thread_running

    def _create_worker_consumer(self, transport: Any) -> Any:
        """Read committed messages only."""
        consumer = super()._create_worker_consumer(transport)
        consumer._isolation_level = READ_COMMITTED
        return consumer

    async def call_thread(self, fun: Callable[..., Any], *args: Any, **kwargs: Any) -> Any:
        """Call at once what Faust would hand to the thread."""
        return await maybe_async(fun(*args, **kwargs))

    async def _fetch_records(
        self,
        consumer: Any,
        active_partitions: Any,
        timeout: float | None = None,  # noqa: ASYNC109 - Faust names it so
        max_records: int | None = None,
    ) -> Any:
        """Read a share of each partition, once there is a message of any."""
        found = await super()._fetch_records(consumer, active_partitions, timeout, SHARE)
        others = polled(consumer._fetcher, active_partitions, found, SHARE) if found else {}
        return {**found, **others}

    async def on_start(self) -> None:
        """Start, and watch from now on which heartbeats are answered."""
        await super().on_start()
        parts = cast("PatchedConsumer", self.consumer).parts
        # Not its changelogs, which ``ChangelogReader`` reads: what is written to them would come
        # here once more, and stay in memory, for nobody takes it.
        LongFetches(self._ensure_consumer(), parts.acks.is_input)
        self.heartbeats = Heartbeats(
            self._ensure_consumer(),
            parts.loop_watch.membership,
            parts.producer.reconnect,
            parts.beat_s,
        )

    async def _gather_remaining_tasks(self) -> None:
        """Leave the loop's other tasks alone; Faust cancels all of its thread's."""


class PatchedConsumer(aiokafka.Consumer):
    """Hands messages to the flow, and commits what is acknowledged, in order.

    Faust's own accounting commits past events in flight where offsets have gaps. It also
    reads partitions that are paused, see ``ReadablePartitions``.
    """

    def __init__(self, *args: Any, parts: AppParts, flow: Flow, **kwargs: Any) -> None:
        """Accept Faust's arguments and, from ``PatchedApp``, ours."""
        super().__init__(*args, **kwargs)
        self.parts = parts
        self.flow = flow
        self._acks, self._beat_s = parts.acks, parts.beat_s

    async def commit(self, topics: Any = None, start_new_transaction: bool = True) -> bool:
        """Commit, as Faust does each second, if there may be something to commit."""
        return self._acks.is_commit_due and await self.force_commit()

    async def force_commit(self, topics: Any = None, start_new_transaction: bool = True) -> bool:
        """Commit what is done, with the metadata of what is in hand; False if that failed.

        Another error than that of an assignment that is over crashes the worker.
        """
        if not self._acks.ledgers:  # aiokafka's consumer may not have started
            return True
        try:
            await self._acks.commit(self._thread._ensure_consumer().commit, self.assignment())
        except CommitFailedError:
            return False
        except Exception as error:
            log.exception("offsets cannot be committed")
            await self.crash(error)
            return False
        return True

    async def last_metadata(
        self, partitions: Iterable[TopicPartition]
    ) -> dict[TopicPartition, CommitMetadata]:
        """Ask the group what the last owners of partitions have committed with their offsets."""
        committed = await self._coordinator.fetch_committed_offsets(list(partitions))
        return {tp: CommitMetadata.decoded(found.metadata) for tp, found in committed.items()}

    async def is_member(self) -> bool:
        """Ask the broker whether our assignment holds; a rebalance that begins revokes it later."""
        return await cast("ConsumerInLoop", self._thread).heartbeats.beat()

    def is_put_out(self) -> bool:
        """Whether the broker has answered that this worker is no member any more."""
        return bool(self._coordinator.generation == NO_GENERATION)

    def positions(self, partitions: Iterable[TopicPartition]) -> dict[TopicPartition, int]:
        """Return the next offset that is read of each partition, 0 if it is not known yet."""
        return {tp: self._read_offset[TP(*tp)] or 0 for tp in partitions}

    @Service.task
    async def _commit_handler(self) -> None:
        """Commit each second, in the same step of the loop as all agents of the process."""
        while not self.should_stop:
            await self.sleep(until_beat(self.commit_interval, after=self._beat_s))
            await self.commit()

    @Service.task
    async def _commit_livelock_detector(self) -> None:
        """Look for nothing that stands still: the watchdog does."""

    @property
    def _coordinator(self) -> GroupCoordinator:
        return self._thread._ensure_consumer()._coordinator

    def _new_consumer_thread(self) -> ConsumerInLoop:
        return ConsumerInLoop(self, loop=self.loop, thread_loop=self.loop, beacon=self.beacon)

    async def _getmany(self, active_partitions: set[TP] | None, timeout: float) -> Any:  # noqa: ASYNC109 - Faust names it so
        readable = ReadablePartitions(active_partitions, self._acks)
        return await super()._getmany(cast("Any", readable), timeout)

    async def _drain_messages(self, fetcher: Any) -> None:
        """Pass messages by Faust's queues and streams, each of which makes tasks of them."""
        try:
            while not (self.should_stop or fetcher.should_stop):
                has_more = await self._drain_some()
                await asyncio.sleep(0 if has_more else self.parts.agent.poll_pause_s)
        except (asyncio.CancelledError, ConsumerStoppedError):
            # During a rebalance Faust restarts the fetcher when it sees the error.
            if not self.app.should_stop:
                raise

    async def _drain_some(self) -> bool:
        """Take a share of what has come for each partition, else what comes within a second.

        Returns whether more may have come. The rest has its turn with what comes meanwhile for
        other partitions: 20,000 requests at once would hold up all changes. Faust would make
        another message of each record, and note how far each partition is.
        """
        records, _ = await self._wait_next_records(until_beat(POLL_TIMEOUT_S, after=self._beat_s))
        generation = self.app.consumer_generation_id
        for count, (tp, record) in enumerate(self.scheduler.iterate(records or {}), 1):
            # In a rebalance the rest is dropped: the next assignment begins at what is committed.
            if not self.flow_active or self.app.consumer_generation_id != generation:
                return False
            await self.flow.take(record)
            self._read_offset[tp] = record.offset
            if count % self.parts.agent.messages_per_yield == 0:
                await asyncio.sleep(0)
        return any(len(several) >= SHARE for several in (records or {}).values())


class ReadablePartitions:
    """The partitions that messages may be taken from, at any moment of a long wait for some.

    Faust passes a set that it empties in a rebalance. The fetcher takes an empty set for
    all partitions, so it would go on with what was not resumed yet, and Faust drops that:
    messages after the seek, which never come again.
    """

    def __init__(self, active: set[TP] | None, acks: Acknowledgements) -> None:
        """``active`` is Faust's own set, which changes; None stands for all."""
        self._active = active
        self._acks = acks

    def __contains__(self, tp: TP) -> bool:
        """Whether a partition is active, and its agent wants its messages now."""
        is_active = self._active is None or tp in self._active
        return is_active and self._acks.is_readable(TopicPartition(*tp))


class PatchedTransport(aiokafka.Transport):
    """Faust's Kafka transport with our consumer."""

    Consumer = PatchedConsumer
