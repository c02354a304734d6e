"""Read a topic in pages: many readers, a consumer, a page at a time."""

from contextlib import AsyncExitStack

from aiokafka import AIOKafkaConsumer, ConsumerRecord, TopicPartition
from cachetools import LRUCache

from connectors.kafka.access import Access
from connectors.kafka.reading import Span, groupless_consumer
from connectors.turns import Turns

PAGE_BYTES = 1_000_000
"""Bytes of stored messages, except for a larger message."""
PAGE_MESSAGES = 200
MAX_CACHED = 32
"""The most cached pages: many readers after an interruption missed the same."""
POLL_TIMEOUT_MS = 1_000

Page = tuple[list[ConsumerRecord], int]
"""Messages, and the position after them."""


class PagedTopic:
    """A topic of which each reader gets a page in its turn; their keys take turns."""

    def __init__(self, access: Access, topic: str) -> None:
        """Connect when the first page is read."""
        self._access = access
        self._topic = topic
        self._turns = Turns(most=1, most_per_key=1)
        self._stack = AsyncExitStack()
        self._consumer: AIOKafkaConsumer | None = None
        self._pages: LRUCache[tuple[int, int], Page] = LRUCache(MAX_CACHED)

    @property
    def cached(self) -> int:
        """The cached pages."""
        return len(self._pages)

    async def page(self, key: str, partition: int, span: Span) -> Page:
        """Read messages of a span, and the position after them; there may be none yet.

        Raises KafkaError.
        """
        begin, end = span
        page = self._pages.get((partition, begin))
        if page is None:
            async with self._turns.turn(key):
                # Another one may have read it while this one waited for its turn.
                page = self._pages.get((partition, begin)) or await self._read(partition, begin)
        return [each for each in page[0] if each.offset < end], min(page[1], end)

    async def close(self) -> None:
        """Disconnect."""
        self._consumer = None
        self._pages.clear()
        await self._stack.aclose()

    async def _read(self, partition: int, begin: int) -> Page:
        if self._consumer is None:
            connecting = groupless_consumer(
                self._access, fetch_max_bytes=PAGE_BYTES, max_partition_fetch_bytes=PAGE_BYTES
            )
            self._consumer = await self._stack.enter_async_context(connecting)
        consumer: AIOKafkaConsumer = self._consumer
        place = TopicPartition(self._topic, partition)
        consumer.assign([place])
        consumer.seek(place, begin)
        found = await consumer.getmany(place, timeout_ms=POLL_TIMEOUT_MS, max_records=PAGE_MESSAGES)
        # Ends at the same offsets wherever readers begin, so that they soon share pages.
        end = (begin // PAGE_MESSAGES + 1) * PAGE_MESSAGES
        fetched = found.get(place, [])
        messages = [each for each in fetched if each.offset < end]
        if not messages:  # none yet, or the log begins later
            return [], fetched[0].offset if fetched else await consumer.position(place)
        page = messages, min(await consumer.position(place), end)
        self._pages[partition, begin] = page
        return page
