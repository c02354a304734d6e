"""What there is in a log, as the broker says and not as the engine has it.

Compaction, retention and transactions leave holes in a log. Any other hole
would be messages lost without a trace, so it is looked at before it is passed.
"""

import asyncio
from collections.abc import Mapping, Sequence

from aiokafka import AIOKafkaConsumer, TopicPartition
from faust.types import TP

from connectors.kafka.access import Access
from connectors.kafka.reading import read_messages


class LogReader:
    """Reads the log again, with a consumer of its own that is in no group."""

    def __init__(self, access: Access) -> None:
        """Take the way to the brokers; connects at the first hole."""
        self._access = access
        self._consumer: AIOKafkaConsumer | None = None
        self._reading = asyncio.Lock()

    async def first_from(self, topic: str, partition: int, offset: int) -> int:
        """Give the offset of the first message that there is at ``offset`` or later."""
        place = TopicPartition(topic, partition)
        async with self._reading:
            consumer = await self._started()
            consumer.assign([place])
            consumer.seek(place, offset)
            message = await consumer.getone(place)
        return int(message.offset)

    async def last_from(self, since: Mapping[TP, int]) -> dict[TP, int]:
        """Give each partition's last offset, of those with a message at ``since`` or later.

        The log's end may be that of a transaction, an offset without a message.
        Raises KafkaError.
        """
        bounds = await self.all_bounds([TopicPartition(*tp) for tp in since])
        found = {}
        for tp, offset in since.items():
            place = TopicPartition(*tp)
            begin, end = bounds[place]
            last = await self._last(place, max(begin, offset), end)
            if last is not None:
                found[tp] = last
        return found

    async def bounds(self, topic: str, partition: int) -> tuple[int, int]:
        """Give the first offset of a partition and the one after its last; raises KafkaError."""
        place = TopicPartition(topic, partition)
        return (await self.all_bounds([place]))[place]

    async def all_bounds(
        self, places: Sequence[TopicPartition]
    ) -> dict[TopicPartition, tuple[int, int]]:
        """Give the bounds of several partitions; raises KafkaError."""
        async with self._reading:
            consumer = await self._started()
            begins = await consumer.beginning_offsets(places)
            ends = await consumer.end_offsets(places)
        return {place: (begins[place], ends[place]) for place in places}

    async def _last(self, place: TopicPartition, first: int, end: int) -> int | None:
        """Look for the last message between two offsets, from the end on."""
        at, step = end, 1
        async with self._reading:
            consumer = await self._started()
            consumer.assign([place])
            while at > first:
                at, step = max(first, at - step), step * 10
                found = read_messages(consumer, {place: (at, end)})
                offsets = [int(message.offset) async for message in found]
                if offsets:
                    return offsets[-1]
        return None

    async def stop(self) -> None:
        """Disconnect."""
        if self._consumer is not None:
            await self._consumer.stop()

    async def _started(self) -> AIOKafkaConsumer:
        if self._consumer is None:
            consumer = AIOKafkaConsumer(
                **self._access.client(), group_id=None, auto_offset_reset="earliest"
            )
            await consumer.start()
            self._consumer = consumer
        return self._consumer
