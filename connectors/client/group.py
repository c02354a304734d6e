"""A member of a consumer group, which handles each of its partitions in order."""

import asyncio
from collections.abc import Awaitable, Callable, Iterable

from aiokafka import AIOKafkaConsumer, ConsumerRebalanceListener, ConsumerRecord, TopicPartition
from aiokafka.errors import CommitFailedError, IllegalStateError

from connectors.kafka.access import MAX_MESSAGE_BYTES, Access
from connectors.kafka.patching import patch_consumers
from connectors.kafka.reading import READ_COMMITTED

REVOKE_TIMEOUT_S = 5.0
"""A running handler may take this long to finish when its partition is revoked."""
BATCH = 500
POLL_MS = 1_000
NO_PARTITION = TopicPartition("", 0)
"""The member has no messages."""
MAX_POLL_INTERVAL_MS = 24 * 3600 * 1000
"""A handler may take any time: the heartbeat shows the life of the process."""

Handle = Callable[[ConsumerRecord], Awaitable[bool]]
"""Handles a message; returns False if the message was skipped."""


class GroupMember(ConsumerRebalanceListener):  # type: ignore[misc]  # aiokafka has no types
    """Reads a topic together with the other members of its group.

    A message is committed after its handling. A new group begins with the oldest message, so no
    message from before its first member is missed.
    """

    def __init__(self, access: Access, topic: str, group: str, handle: Handle) -> None:
        """Read ``topic`` (its full name) as a member of ``group``."""
        self._options = {**access.client(), "group_id": group}
        self._topic = topic
        self._handle = handle
        self._kafka: AIOKafkaConsumer | None = None
        self._tasks: dict[TopicPartition, asyncio.Task[None]] = {}
        self._busy: set[TopicPartition] = set()
        self._is_open = False
        self._failed: asyncio.Future[None] | None = None

    async def run(self) -> None:
        """Read until cancelled; raises a final KafkaError."""
        self._failed = asyncio.get_running_loop().create_future()
        patch_consumers()
        self._kafka = AIOKafkaConsumer(
            **self._options,
            enable_auto_commit=False,
            auto_offset_reset="earliest",
            isolation_level=READ_COMMITTED,
            max_partition_fetch_bytes=MAX_MESSAGE_BYTES,
            max_poll_interval_ms=MAX_POLL_INTERVAL_MS,
        )
        self._kafka.subscribe([self._topic], listener=self)
        try:
            await self._kafka.start()
            while not self._failed.done():
                await asyncio.wait([self._failed], timeout=POLL_MS / 1000)
                # Raises what keeps it out of the group: without partitions nobody else asks.
                await self._kafka.getmany(NO_PARTITION, timeout_ms=0)
            await self._failed
        finally:
            await self._release()
            await self._kafka.stop()

    async def on_partitions_assigned(self, assigned: Iterable[TopicPartition]) -> None:
        """Start reading the partitions of a new assignment."""
        self._is_open = True
        self._tasks = {
            partition: asyncio.create_task(self._work(partition)) for partition in assigned
        }

    async def on_partitions_revoked(self, revoked: Iterable[TopicPartition]) -> None:
        """Stop reading the partitions of the last assignment."""
        await self._release()

    async def _release(self) -> None:
        """Read nothing new, let running handlers finish, and cancel slow handlers."""
        self._is_open = False
        for partition, task in self._tasks.items():
            if partition not in self._busy:
                task.cancel()
        if self._tasks:
            _, late = await asyncio.wait(self._tasks.values(), timeout=REVOKE_TIMEOUT_S)
            for task in late:
                task.cancel()
            await asyncio.gather(*late, return_exceptions=True)
        self._tasks = {}

    async def _work(self, partition: TopicPartition) -> None:
        try:
            while self._is_open:
                await self._handle_batch(partition)
        except (CommitFailedError, IllegalStateError):
            return  # another member has the partition by now and reads the message again
        except Exception as error:  # noqa: BLE001 - raised by run()
            assert self._failed is not None
            if not self._failed.done():
                self._failed.set_exception(error)

    async def _handle_batch(self, partition: TopicPartition) -> None:
        """Handle some messages in order; commit after each message not skipped."""
        assert self._kafka is not None
        batch = await self._kafka.getmany(partition, timeout_ms=POLL_MS, max_records=BATCH)
        done = committed = None
        self._busy.add(partition)
        try:
            for message in batch.get(partition, ()):
                if not self._is_open:
                    break
                was_handled = await self._handle(message)
                done = message.offset + 1
                if was_handled:
                    committed = await self._commit(partition, done)
            if done != committed:
                await self._commit(partition, done)
        finally:
            self._busy.discard(partition)

    async def _commit(self, partition: TopicPartition, done: int | None) -> int | None:
        assert self._kafka is not None
        await self._kafka.commit({partition: done})
        return done
