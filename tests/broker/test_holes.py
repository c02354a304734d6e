"""Holes between offsets, as the broker makes them."""

from pathlib import Path

from aiokafka import AIOKafkaProducer

from connectors.kafka.access import Access
from connectors.kafka.topics import TopicSpec, create_topics
from infra.broker import LocalBroker
from streams.engine.holes import Holes


async def test_the_first_message_behind_a_transactions_marker_is_found(
    broker: LocalBroker, tmp_path: Path
) -> None:
    topic = tmp_path.name
    await create_topics(Access(broker.bootstrap), [TopicSpec(topic, 1)])
    async with AIOKafkaProducer(
        bootstrap_servers=broker.bootstrap, transactional_id=topic
    ) as producer:
        for _ in range(2):
            async with producer.transaction():
                await producer.send_and_wait(topic, b"one")
    holes = Holes(Access(broker.bootstrap))
    try:
        assert [await holes.first_from(topic, 0, offset) for offset in (0, 1, 2)] == [0, 2, 2]
    finally:
        await holes.stop()
