"""Look up the messages that dead letters are copies of."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

from aiokafka import AIOKafkaConsumer, ConsumerRecord, TopicPartition

from connectors.dead_letters.record import DeadLetter, DeadLetterError
from connectors.kafka.access import MAX_MESSAGE_BYTES, Access
from connectors.kafka.reading import groupless_consumer, read_batches


class Originals:
    """Reads single messages of topics that are named without their ``prefix``."""

    def __init__(self, consumer: AIOKafkaConsumer, prefix: str) -> None:
        """Read with a started consumer without an assignment."""
        self._consumer = consumer
        self._prefix = prefix

    async def verify(self, letter: DeadLetter, origin: tuple[str, int, int]) -> None:
        """Return if a message is where its dead letter says, and is the same.

        A writer of dead letters can name any origin and content, and what is put back is
        obeyed. Raises DeadLetterError.
        """
        place = "{} {}:{}".format(*origin)
        found = await self._message(*origin)
        if found is None:
            raise DeadLetterError(
                f"{letter.id} cannot be checked: {place} holds no message any more, "
                "so nobody can say whether this one was there"
            )
        if (found.key, found.value, found.headers) != (letter.key, letter.value, letter.headers):
            raise DeadLetterError(
                f"{letter.id} is not what {place} holds: "
                "it may be forged, or that topic was made again"
            )

    async def _message(self, topic: str, partition: int, offset: int) -> ConsumerRecord | None:
        at = TopicPartition(self._prefix + topic, partition)
        self._consumer.assign([at])
        first = (await self._consumer.beginning_offsets([at]))[at]
        end = (await self._consumer.end_offsets([at]))[at]
        if not first <= offset < end:
            return None
        async for batch in read_batches(self._consumer, {at: (offset, offset + 1)}, 1):
            for message in batch.messages:
                return message if message.offset == offset else None
        return None


@asynccontextmanager
async def open_originals(access: Access, prefix: str) -> AsyncIterator[Originals]:
    """Connect an Originals; raises KafkaConnectionError if no broker answers."""
    options = {"max_partition_fetch_bytes": MAX_MESSAGE_BYTES}
    async with groupless_consumer(access, **options) as consumer:
        yield Originals(consumer, prefix)
