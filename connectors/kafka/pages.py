"""Read a topic in pages: many readers, one consumer, one page at a time."""

from contextlib import AsyncExitStack

from aiokafka import AIOKafkaConsumer, ConsumerRecord, TopicPartition

from connectors.kafka.access import Access
from connectors.kafka.reading import Span, groupless_consumer
from connectors.turns import Turns

PAGE_BYTES = 1_000_000
"""Of messages as they are stored, except for one that is larger by itself."""
PAGE_MESSAGES = 200
POLL_TIMEOUT_MS = 1_000


class PagedTopic:
    """A topic of which each reader gets a page in its turn; their keys take turns."""

    def __init__(self, access: Access, topic: str) -> None:
        """Connect when the first page is read."""
        self._access = access
        self._topic = topic
        self._turns = Turns(most=1, most_per_key=1)
        self._stack = AsyncExitStack()
        self._consumer: AIOKafkaConsumer | None = None

    async def page(self, key: str, partition: int, span: Span) -> tuple[list[ConsumerRecord], int]:
        """Read messages of a span, and the position after them; there may be none yet.

        Raises KafkaError.
        """
        async with self._turns.turn(key):
            consumer = await self._connected()
            place, (begin, end) = TopicPartition(self._topic, partition), span
            consumer.assign([place])
            consumer.seek(place, begin)
            found = await consumer.getmany(
                place, timeout_ms=POLL_TIMEOUT_MS, max_records=PAGE_MESSAGES
            )
            messages = [each for each in found.get(place, ()) if each.offset < end]
            return messages, min(await consumer.position(place), end)

    async def close(self) -> None:
        """Disconnect."""
        self._consumer = None
        await self._stack.aclose()

    async def _connected(self) -> AIOKafkaConsumer:
        if self._consumer is None:
            connecting = groupless_consumer(
                self._access, fetch_max_bytes=PAGE_BYTES, max_partition_fetch_bytes=PAGE_BYTES
            )
            self._consumer = await self._stack.enter_async_context(connecting)
        return self._consumer
