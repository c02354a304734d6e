"""The members of a consumer group: partitions are shared, each is handled in its order."""

import asyncio
from collections.abc import Awaitable, Callable, Iterable

from aiokafka import AIOKafkaConsumer, ConsumerRebalanceListener, ConsumerRecord, TopicPartition
from aiokafka.errors import CommitFailedError, IllegalStateError

from connectors.kafka.access import MAX_MESSAGE_BYTES, Access

PATIENCE = 5.0
"""Seconds that a handler at work may go on when its partition is taken away."""
BATCH = 500
WAIT = 1_000
NEVER = 24 * 3600 * 1000
"""A handler may take as long as it likes: that it lives, the heartbeat says."""

Handle = Callable[[ConsumerRecord], Awaitable[bool]]
"""Handles one message; says whether that was work, and not just passed over."""


class GroupMember(ConsumerRebalanceListener):  # type: ignore[misc]  # aiokafka has no types
    """Reads a topic with all other members of its group.

    A message counts as read when it is handled. A group that nobody knows begins with the
    oldest message there is, so that nothing is missed that came before its first member.
    """

    def __init__(self, access: Access, topic: str, group: str, handle: Handle) -> None:
        """Take a topic by its full name."""
        self._options = {**access.client(), "group_id": group}
        self._topic = topic
        self._handle = handle
        self._kafka: AIOKafkaConsumer | None = None
        self._tasks: dict[TopicPartition, asyncio.Task[None]] = {}
        self._busy: set[TopicPartition] = set()
        self._is_open = False
        self._failed: asyncio.Future[None] | None = None

    async def run(self) -> None:
        """Read until cancelled; raises the KafkaError that nothing helps against."""
        self._failed = asyncio.get_running_loop().create_future()
        self._kafka = AIOKafkaConsumer(
            **self._options,
            enable_auto_commit=False,
            auto_offset_reset="earliest",
            max_partition_fetch_bytes=MAX_MESSAGE_BYTES,
            max_poll_interval_ms=NEVER,
        )
        self._kafka.subscribe([self._topic], listener=self)
        await self._kafka.start()
        try:
            await self._failed
        finally:
            await self._let_go()
            await self._kafka.stop()

    async def on_partitions_assigned(self, assigned: Iterable[TopicPartition]) -> None:
        """Begin with the partitions of a new assignment."""
        self._is_open = True
        self._tasks = {place: asyncio.create_task(self._work(place)) for place in assigned}

    async def on_partitions_revoked(self, revoked: Iterable[TopicPartition]) -> None:
        """End with those of the last one."""
        await self._let_go()

    async def _let_go(self) -> None:
        """Take nothing new, let what is at work finish, cancel what does not."""
        self._is_open = False
        for place, task in self._tasks.items():
            if place not in self._busy:
                task.cancel()
        if self._tasks:
            _, late = await asyncio.wait(self._tasks.values(), timeout=PATIENCE)
            for task in late:
                task.cancel()
            await asyncio.gather(*late, return_exceptions=True)
        self._tasks = {}

    async def _work(self, place: TopicPartition) -> None:
        try:
            while self._is_open:
                await self._some(place)
        except (CommitFailedError, IllegalStateError):
            return  # the partition is another member's by now, who reads this again
        except Exception as error:  # noqa: BLE001 - told to whoever waits for run()
            assert self._failed is not None
            if not self._failed.done():
                self._failed.set_exception(error)

    async def _some(self, place: TopicPartition) -> None:
        """Handle some messages in their order; after each that was work, note how far we are."""
        assert self._kafka is not None
        batch = await self._kafka.getmany(place, timeout_ms=WAIT, max_records=BATCH)
        done = noted = None
        self._busy.add(place)
        try:
            for message in batch.get(place, ()):
                if not self._is_open:
                    break
                was_work = await self._handle(message)
                done = message.offset + 1
                if was_work:
                    noted = await self._note(place, done)
            if done != noted:
                await self._note(place, done)
        finally:
            self._busy.discard(place)

    async def _note(self, place: TopicPartition, done: int | None) -> int | None:
        assert self._kafka is not None
        await self._kafka.commit({place: done})
        return done
