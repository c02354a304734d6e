"""Readers of whole topics go on when partitions are added."""

import asyncio
from uuid import uuid4

import pytest
from aiokafka import AIOKafkaProducer
from aiokafka.admin import AIOKafkaAdminClient

from connectors.kafka import reading
from connectors.kafka.access import Access
from connectors.kafka.topics import TopicSpec, create_topics
from infra.broker import LocalBroker
from streams.repartition.growing import grow_topics
from tests.harness.waiting import until


async def send(access: Access, topic: str, value: bytes, partition: int) -> None:
    async with AIOKafkaProducer(**access.client()) as kafka:
        await kafka.send_and_wait(topic, value, partition=partition)


async def grow(access: Access, topic: str, partitions: int) -> None:
    admin = AIOKafkaAdminClient(**access.client())
    await admin.start()
    try:
        await grow_topics(admin, [topic], partitions)
    finally:
        await admin.close()


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
        await until(lambda: values == [b"1", b"2"], "the new partition is read, nothing twice")
        await send(access, topic, b"3", 0)
        await until(lambda: values == [b"1", b"2", b"3"], "the other one is read on")
        task.cancel()
