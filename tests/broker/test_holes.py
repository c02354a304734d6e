"""Holes between offsets, as the broker makes them."""

from collections.abc import AsyncIterator
from pathlib import Path

import pytest
from aiokafka import AIOKafkaProducer
from faust.types import TP

from connectors.kafka.access import Access
from connectors.kafka.topics import TopicSpec, create_topics
from infra.broker import LocalBroker
from streams.engine.holes import Holes


@pytest.fixture
async def topic(broker: LocalBroker, tmp_path: Path) -> str:
    """Messages at 0 and 2 of partition 0, the markers of their transactions behind each."""
    topic = tmp_path.name
    await create_topics(Access(broker.bootstrap), [TopicSpec(topic, 2)])
    async with AIOKafkaProducer(
        bootstrap_servers=broker.bootstrap, transactional_id=topic
    ) as producer:
        for _ in range(2):
            async with producer.transaction():
                await producer.send_and_wait(topic, b"one", partition=0)
    return topic


@pytest.fixture
async def holes(broker: LocalBroker) -> AsyncIterator[Holes]:
    holes = Holes(Access(broker.bootstrap))
    yield holes
    await holes.stop()


async def test_the_first_message_behind_a_transactions_marker_is_found(
    topic: str, holes: Holes
) -> None:
    assert [await holes.first_from(topic, 0, offset) for offset in (0, 1, 2)] == [0, 2, 2]


@pytest.mark.parametrize(("since", "last"), [(0, 2), (2, 2), (3, None), (4, None)])
async def test_the_last_message_before_a_transactions_marker_is_found(
    topic: str, holes: Holes, since: int, last: int | None
) -> None:
    place, empty = TP(topic, 0), TP(topic, 1)
    found = await holes.last_from({place: since, empty: 0})
    assert found == ({} if last is None else {place: last})
