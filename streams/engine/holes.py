"""Is a hole between offsets real, or did the engine skip messages?

Compaction, retention and transactions leave holes in a log. Any other hole
would be messages lost without a trace, so it is looked at before it is passed.
"""

from aiokafka import AIOKafkaConsumer, TopicPartition


class Holes:
    """Reads the log again, with a consumer of its own that is in no group."""

    def __init__(self, bootstrap: str) -> None:
        """Take the brokers (host:port,…); connects at the first hole."""
        self._bootstrap = bootstrap
        self._consumer: AIOKafkaConsumer | None = None

    async def first_from(self, topic: str, partition: int, offset: int) -> int:
        """Give the offset of the first message that there is at ``offset`` or later."""
        consumer = await self._started()
        place = TopicPartition(topic, partition)
        consumer.assign([place])
        consumer.seek(place, offset)
        message = await consumer.getone(place)
        return int(message.offset)

    async def stop(self) -> None:
        """Disconnect."""
        if self._consumer is not None:
            await self._consumer.stop()

    async def _started(self) -> AIOKafkaConsumer:
        if self._consumer is None:
            self._consumer = AIOKafkaConsumer(
                bootstrap_servers=self._bootstrap, group_id=None, auto_offset_reset="earliest"
            )
            await self._consumer.start()
        return self._consumer
