"""What there is in a log, as the broker says and not as the engine has it.

Compaction, retention and transactions leave holes in a log. Any other hole
would be messages lost without a trace, so it is looked at before it is passed.
"""

import asyncio
from collections.abc import Sequence

from aiokafka import AIOKafkaConsumer, TopicPartition

from connectors.kafka.access import Access


class Holes:
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

    async def bounds(
        self, places: Sequence[TopicPartition]
    ) -> dict[TopicPartition, tuple[int, int]]:
        """Give the first offset of each partition and the one after its last; raises KafkaError."""
        async with self._reading:
            consumer = await self._started()
            begins = await consumer.beginning_offsets(places)
            ends = await consumer.end_offsets(places)
        return {place: (begins[place], ends[place]) for place in places}

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
