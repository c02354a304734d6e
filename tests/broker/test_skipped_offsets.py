"""Offsets that a log skips, as the broker produces them."""

import asyncio
from collections.abc import AsyncIterator
from pathlib import Path

import pytest
from aiokafka import AIOKafkaConsumer, AIOKafkaProducer, TopicPartition
from aiokafka.admin import AIOKafkaAdminClient, RecordsToDelete

from connectors.kafka.access import Access
from connectors.kafka.log_reader import LogReader
from connectors.kafka.topics import TopicSpec, create_topics
from infra.broker import LocalBroker
from schemas.codec import wire
from schemas.records.requests import Cancel
from schemas.records.subscription_facts import Rejected
from schemas.records.subscriptions import Receiver
from schemas.records.topics import SUBSCRIPTION_REQUESTS, SUBSCRIPTIONS
from streams.effects.topics import topic_specs
from streams.values.agent import group_id
from tests.harness.processes import Deployment
from tests.harness.transactions import log_ends_at
from tests.harness.waiting import TIMEOUT_S


@pytest.fixture
async def topic(broker: LocalBroker, tmp_path: Path) -> str:
    """Messages at 0 and 2 of partition 0, the markers of their transactions after each."""
    topic, access = tmp_path.name, Access(broker.bootstrap)
    await create_topics(access, [TopicSpec(topic, 2)])
    async with AIOKafkaProducer(
        bootstrap_servers=broker.bootstrap, transactional_id=topic
    ) as producer:
        for _ in range(2):
            async with producer.transaction():
                await producer.send_and_wait(topic, b"one", partition=0)
    await log_ends_at(4, access, topic)
    return topic


async def test_what_comes_after_a_log_was_cut_short_is_read(
    broker: LocalBroker, tmp_path: Path
) -> None:
    """A broker that lost power may have kept the committed offsets, and not the messages."""
    with Deployment(broker.bootstrap, tmp_path, is_kept=True, partitions=1) as deployment:
        settings, access = deployment.settings, Access(broker.bootstrap)
        await create_topics(access, topic_specs(settings))
        requests = settings.topic_prefix + SUBSCRIPTION_REQUESTS.name
        group = group_id(settings.topic_prefix, "match")
        async with AIOKafkaConsumer(
            bootstrap_servers=broker.bootstrap, group_id=group, enable_auto_commit=False
        ) as consumer:
            consumer.assign([TopicPartition(requests, 0)])
            await consumer.commit({TopicPartition(requests, 0): 5000})
        deployment.start("match")
        async with AIOKafkaProducer(bootstrap_servers=broker.bootstrap) as producer:
            request = Cancel("http://a.test/", Receiver("http://b.test/"), request_id="r")
            await producer.send_and_wait(requests, wire.encode(request), partition=0)
        async with AIOKafkaConsumer(
            settings.topic_prefix + SUBSCRIPTIONS.name,
            bootstrap_servers=broker.bootstrap,
            auto_offset_reset="earliest",
        ) as consumer:
            async with asyncio.timeout(TIMEOUT_S):
                answer = wire.decode((await consumer.getone()).value, Rejected)
    assert answer.request_id == "r"


@pytest.fixture
async def holes(broker: LocalBroker) -> AsyncIterator[LogReader]:
    holes = LogReader(Access(broker.bootstrap))
    yield holes
    await holes.stop()


async def test_the_first_message_behind_a_transactions_marker_is_found(
    topic: str, holes: LogReader
) -> None:
    assert [await holes.first_from(topic, 0, offset) for offset in (0, 1, 2)] == [0, 2, 2]


async def test_a_skipped_offset_is_distinguished_from_what_was_deleted(
    broker: LocalBroker, topic: str, holes: LogReader
) -> None:
    assert await holes.bounds(topic, 0) == (0, 4)
    admin = AIOKafkaAdminClient(bootstrap_servers=broker.bootstrap)
    await admin.start()
    await admin.delete_records({TopicPartition(topic, 0): RecordsToDelete(2)})
    await admin.close()
    assert await holes.bounds(topic, 0) == (2, 4)


@pytest.mark.parametrize(("since", "last"), [(0, 2), (2, 2), (3, None), (4, None)])
async def test_the_last_message_before_a_transactions_marker_is_found(
    topic: str, holes: LogReader, since: int, last: int | None
) -> None:
    place, empty = TopicPartition(topic, 0), TopicPartition(topic, 1)
    found = await holes.last_from({place: since, empty: 0})
    assert found == ({} if last is None else {place: last})
