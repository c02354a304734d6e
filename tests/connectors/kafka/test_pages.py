"""Pages of a topic, for many readers; without a broker."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from typing import Any

import pytest
from aiokafka import TopicPartition

from connectors.kafka.pages import MAX_CACHED, PAGE_MESSAGES, PagedTopic


@dataclass(frozen=True)
class Message:
    offset: int


class Consumer:
    """A consumer of a log that has these offsets; ``reads`` lists from where it was read."""

    def __init__(self, first: int, end: int) -> None:
        self.first = first
        self.end = end
        self.reads: list[int] = []
        self.connected = 0
        self._at = 0

    @asynccontextmanager
    async def connect(self, *_: Any, **options: int) -> AsyncIterator["Consumer"]:
        assert options["fetch_max_bytes"] == options["max_partition_fetch_bytes"] == 1_000_000
        self.connected += 1
        yield self
        self.connected -= 1

    def assign(self, places: list[TopicPartition]) -> None:
        (self._place,) = places

    def seek(self, place: TopicPartition, offset: int) -> None:
        assert place == self._place
        self.reads.append(offset)
        self._at = max(offset, self.first)

    async def getmany(self, place: TopicPartition, **options: int) -> Any:
        await asyncio.sleep(0)
        begin, self._at = self._at, min(self._at + options["max_records"], self.end)
        return {place: [Message(offset) for offset in range(begin, self._at)]}

    async def position(self, _: TopicPartition) -> int:
        return self._at


@pytest.fixture
def consumer(monkeypatch: pytest.MonkeyPatch) -> Consumer:
    consumer = Consumer(first=0, end=1000)
    monkeypatch.setattr("connectors.kafka.pages.groupless_consumer", consumer.connect)
    return consumer


@pytest.fixture
def topic(consumer: Consumer) -> PagedTopic:
    access: Any = None
    return PagedTopic(access, "t")


async def all_of(topic: PagedTopic, begin: int, end: int, key: str = "k") -> list[int]:
    found: list[int] = []
    while begin < end:
        messages, begin = await topic.page(key, 0, (begin, end))
        found += [message.offset for message in messages]
    return found


async def test_a_span_is_read_in_pages_and_no_message_beyond_it(topic: PagedTopic) -> None:
    assert await all_of(topic, 150, 730) == list(range(150, 730))


async def test_readers_that_begin_at_different_offsets_soon_share_pages(
    topic: PagedTopic, consumer: Consumer
) -> None:
    spans = [(begin, 1000) for begin in range(90)]
    found = await asyncio.gather(*(all_of(topic, *span, key=str(span)) for span in spans))
    assert found == [list(range(*span)) for span in spans]
    assert len(consumer.reads) == len(spans) + 1000 // PAGE_MESSAGES - 1


async def test_a_log_that_begins_later_is_read_from_its_beginning(
    topic: PagedTopic, consumer: Consumer
) -> None:
    consumer.first = 930
    assert await all_of(topic, 10, 1000) == list(range(930, 1000))
    assert consumer.reads == [10, 930]


async def test_an_end_without_messages_is_asked_for_again(
    topic: PagedTopic, consumer: Consumer
) -> None:
    assert await topic.page("k", 0, (1000, 1005)) == ([], 1000)
    consumer.end = 1005
    assert await all_of(topic, 1000, 1005) == [1000, 1001, 1002, 1003, 1004]


async def test_few_pages_are_cached_and_none_after_the_last_reader(
    topic: PagedTopic, consumer: Consumer
) -> None:
    consumer.end = 100 * PAGE_MESSAGES
    await all_of(topic, 0, consumer.end)
    assert (topic.cached, consumer.connected) == (MAX_CACHED, 1)
    await topic.close()
    assert (topic.cached, consumer.connected) == (0, 0)
