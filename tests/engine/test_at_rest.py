"""What a worker does while nothing happens."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

import pytest
from aiokafka import TopicPartition

from connectors.kafka import log_reader
from connectors.kafka.access import Access
from connectors.kafka.log_reader import LogReader
from streams.engine.faust.consumer import PatchedConsumer

PLACES = {TopicPartition("x.in", number) for number in range(100)}


async def test_no_task_looks_for_partitions_that_stand_still() -> None:
    consumer: Any = object.__new__(PatchedConsumer)
    consumer.assignment = lambda: pytest.fail("a look at each partition")
    consumer.sleep = lambda _: pytest.fail("a look now and then")
    await consumer._commit_livelock_detector(consumer)


class Consumer:
    """A consumer that is assigned one partition, and has one message."""

    def __init__(self) -> None:
        self.assigned: set[TopicPartition] = set()
        self.paused: set[TopicPartition] = set()

    def assign(self, places: list[TopicPartition]) -> None:
        self.assigned, self.paused = set(places), set()

    def assignment(self) -> set[TopicPartition]:
        return self.assigned

    def seek(self, place: TopicPartition, offset: int) -> None:
        assert place in self.assigned

    def pause(self, *places: TopicPartition) -> None:
        self.paused |= set(places)

    async def getone(self, place: TopicPartition) -> Any:
        assert not self.paused
        await asyncio.sleep(0)
        return type("Message", (), {"offset": 7})


async def test_a_reader_of_logs_fetches_nothing_after_its_answer(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    consumer = Consumer()

    @asynccontextmanager
    async def connected(_: Access) -> AsyncIterator[Consumer]:
        yield consumer

    monkeypatch.setattr(log_reader, "groupless_consumer", connected)
    reader = LogReader(Access("nowhere:1"))
    for _ in range(2):
        assert await reader.first_from("x.in", 0, 5) == 7
        assert consumer.paused == consumer.assigned == {TopicPartition("x.in", 0)}
    await reader.stop()
