"""Look up the bounds and messages of a log, as the broker knows them."""

import asyncio
from collections.abc import AsyncIterator, Collection, Mapping, Sequence
from contextlib import AsyncExitStack, asynccontextmanager

from aiokafka import AIOKafkaConsumer, TopicPartition

from connectors.kafka.access import Access
from connectors.kafka.reading import groupless_consumer, read_messages
from connectors.kafka.topic_ids import topic_ids


class LogReader:
    """Reads with its own consumer, which is in no group; one request at a time."""

    def __init__(self, access: Access) -> None:
        self._access = access
        self._consumer: AIOKafkaConsumer | None = None
        self._stack = AsyncExitStack()
        # Requests assign the consumer, and would take each other's partitions away.
        self._lock = asyncio.Lock()

    async def first_from(self, topic: str, partition: int, offset: int) -> int:
        """Return the offset of the first message at ``offset`` or later; waits for one."""
        place = TopicPartition(topic, partition)
        async with self._connected() as consumer:
            # An assignment of one partition: fetches of others would come in between.
            consumer.assign([place])
            consumer.seek(place, offset)
            message = await consumer.getone(place)
        return int(message.offset)

    async def last_from(self, since: Mapping[TopicPartition, int]) -> dict[TopicPartition, int]:
        """Return the last offset of each partition with a message at ``since`` or later.

        The log's end may be that of a transaction, an offset without a message.
        Raises KafkaError.
        """
        bounds = await self.all_bounds(list(since))
        found = {}
        for place, offset in since.items():
            begin, end = bounds[place]
            last = await self._last(place, max(begin, offset), end)
            if last is not None:
                found[place] = last
        return found

    async def bounds(self, topic: str, partition: int) -> tuple[int, int]:
        """Return the first offset of a partition and the one after its last; raises KafkaError."""
        place = TopicPartition(topic, partition)
        return (await self.all_bounds([place]))[place]

    async def all_bounds(
        self, places: Sequence[TopicPartition]
    ) -> dict[TopicPartition, tuple[int, int]]:
        """Return the bounds of several partitions; raises KafkaError."""
        async with self._connected() as consumer:
            begins = await consumer.beginning_offsets(places)
            ends = await consumer.end_offsets(places)
        return {place: (begins[place], ends[place]) for place in places}

    async def ends(self, places: Sequence[TopicPartition]) -> dict[TopicPartition, int]:
        """Return the offset after each partition's last message; raises KafkaError."""
        async with self._connected() as consumer:
            return dict(await consumer.end_offsets(places))

    async def topic_ids(self, topics: Collection[str]) -> dict[str, str]:
        """Return the id of each topic by its name, empty if there is none; raises KafkaError."""
        async with self._connected() as consumer:
            return await topic_ids(consumer, topics)

    async def stop(self) -> None:
        """Disconnect."""
        await self._stack.aclose()

    async def _last(self, place: TopicPartition, first: int, end: int) -> int | None:
        """Look for the last message between two offsets, from the end on."""
        begin, step = end, 1
        async with self._connected() as consumer:
            consumer.assign([place])
            while begin > first:
                # Nearly always the last offset is a message; compaction may leave long gaps.
                begin, step = max(first, begin - step), step * 10
                last = None
                async for message in read_messages(consumer, {place: (begin, end)}):
                    last = int(message.offset)
                if last is not None:
                    return last
        return None

    @asynccontextmanager
    async def _connected(self) -> AsyncIterator[AIOKafkaConsumer]:
        async with self._lock:
            if self._consumer is None:
                connecting = groupless_consumer(self._access)
                self._consumer = await self._stack.enter_async_context(connecting)
            consumer: AIOKafkaConsumer = self._consumer
            try:
                yield consumer
            finally:
                # It would fetch what it was assigned last for as long as it is there.
                consumer.pause(*consumer.assignment())
