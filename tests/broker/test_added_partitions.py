"""Readers of whole topics, and dead letters, when partitions are added."""

import asyncio
from itertools import count
from uuid import uuid4

import pytest
from aiokafka import AIOKafkaProducer

from connectors.dead_letters.record import DeadLetter, DeadLetterError
from connectors.dead_letters.replay import open_replayer
from connectors.kafka import reading
from connectors.kafka.access import Access
from connectors.kafka.admin import admin_client
from connectors.kafka.partitioning import publish_partitioned
from connectors.kafka.topics import TopicSpec, create_topics
from infra.broker import LocalBroker
from schemas.records.claims import Partitioned
from schemas.records.topics import CHANGES, DEPLOYMENT
from streams.repartition.growing import grow_topics
from streams.values.partitions import partition_of
from tests.harness.waiting import until


async def send(access: Access, topic: str, value: bytes, partition: int) -> None:
    async with AIOKafkaProducer(**access.client()) as kafka:
        await kafka.send_and_wait(topic, value, partition=partition)


async def grow(access: Access, topic: str, partitions: int) -> None:
    async with admin_client(access) as admin:
        await grow_topics(admin, [topic], partitions)


async def test_a_reader_of_a_topic_reads_partitions_that_are_added(
    broker: LocalBroker, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(reading, "LOOK_EVERY_S", 0.1)
    access, topic, values = Access(broker.bootstrap), uuid4().hex, list[bytes]()
    await create_topics(access, [TopicSpec(topic, 1)])

    async def read() -> None:
        async for message in consumer:
            values.append(message.value)

    async with reading.tail(access, topic) as consumer:
        task = asyncio.create_task(read())
        await send(access, topic, b"1", 0)
        await grow(access, topic, 2)
        await send(access, topic, b"2", 1)
        # Between partitions there is no order.
        await until(lambda: sorted(values) == [b"1", b"2"], "the new one is read, nothing twice")
        await send(access, topic, b"3", 0)
        await until(lambda: values[2:] == [b"3"], "the other one is read on")
        task.cancel()


async def test_a_dead_letter_from_before_goes_back_to_where_its_key_belongs_now(
    broker: LocalBroker,
) -> None:
    access, prefix = Access(broker.bootstrap), f"{uuid4().hex}."
    changes, deployment = prefix + CHANGES.name, prefix + DEPLOYMENT.name
    await create_topics(access, [TopicSpec(changes, 6), TopicSpec(deployment, 6)])
    key = next(each for each in map(str, count()) if partition_of(each, 6) == 3).encode()
    for each in (key, None):
        async with AIOKafkaProducer(**access.client()) as kafka:
            await kafka.send_and_wait(changes, b"poison", key=each, partition=1)
    state = Partitioned(6, 2, begun=1000, is_done=True)
    await publish_partitioned(access, deployment, state)
    async with open_replayer(access, prefix, [CHANGES.name]) as replayer:
        await replayer.replay(letter(key, 0))
        with pytest.raises(DeadLetterError, match="before more were added"):
            await replayer.replay(letter(None, 1))
    found = [(each.partition, each.key) async for each in reading.messages_since(access, changes)]
    assert found == [(1, key), (1, None), (3, key)]


def letter(key: bytes | None, offset: int) -> DeadLetter:
    origin = {"topic": CHANGES.name, "partition": "1", "offset": str(offset)}
    return DeadLetter(0, 0, 900, key, b"poison", (), origin, whole=True)
