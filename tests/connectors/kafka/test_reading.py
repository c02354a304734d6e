"""A reader of a whole topic goes on with what is added to the topic."""

import asyncio
from unittest.mock import AsyncMock, Mock

import pytest
from aiokafka import TopicPartition

from connectors.kafka import reading

FIRST, ADDED = TopicPartition("t", 0), TopicPartition("t", 1)


async def test_partitions_are_read_that_are_added_after_an_error(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(reading, "LOOK_EVERY_S", 0)
    is_read = asyncio.Event()
    consumer = Mock(
        assignment=lambda: {FIRST},
        partitions_for_topic=Mock(side_effect=[RuntimeError("a set that changed"), {0, 1}, None]),
        position=AsyncMock(return_value=7),
        seek=Mock(side_effect=lambda place, _: is_read.set() if place == ADDED else None),
    )
    following = asyncio.create_task(reading._follow(consumer, "t"))
    await asyncio.wait(
        [asyncio.create_task(is_read.wait()), following], return_when="FIRST_COMPLETED"
    )
    await reading.end_task(following)
    assert is_read.is_set()
    consumer.seek.assert_any_call(FIRST, 7)
