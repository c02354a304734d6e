"""The messages on a deployment's topics."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress
from typing import Any, TypeVar

from aiokafka import AIOKafkaProducer, ConsumerRecord

from connectors.kafka.reading import tail
from schemas.codec import wire
from schemas.records.fetches import Due, FetchDue
from schemas.records.topics import FETCHES, Topic
from schemas.records.urls import host
from streams.effects.connections import kafka_access
from streams.settings import Settings
from streams.values.partitions import partition_of

T = TypeVar("T")


class Messages:
    """The messages of a topic as they arrive, and the facts in them (None if undecodable)."""

    def __init__(self, topic: Topic) -> None:
        self._topic = topic
        self.seen: list[ConsumerRecord] = []
        self.facts: list[Any] = []

    def add(self, message: ConsumerRecord) -> None:
        self.seen.append(message)
        self.facts.append(self._fact(message))

    def of(self, kind: type[T], **fields: Any) -> list[T]:
        """The facts of one kind that have these values."""
        facts = [fact for fact in self.facts if isinstance(fact, kind)]
        return [f for f in facts if all(getattr(f, n) == value for n, value in fields.items())]

    def _fact(self, message: ConsumerRecord) -> Any:
        try:
            return wire.decode(message.value, *self._topic.kinds, allow_json=self._topic.allow_json)
        except wire.Undecodable:
            return None


@asynccontextmanager
async def reading(
    settings: Settings, topic: Topic, since: int | None = None
) -> AsyncIterator[Messages]:
    """Read a topic, from now on or from a time (epoch ms), until left."""
    messages = Messages(topic)
    name = settings.topic_prefix + topic.name

    async def read() -> None:
        async for message in consumer:
            messages.add(message)

    async with tail(kafka_access(settings), name, since) as consumer:
        task = asyncio.create_task(read())
        yield messages
        task.cancel()
        with suppress(asyncio.CancelledError):
            await task


@asynccontextmanager
async def producer(settings: Settings) -> AsyncIterator[AIOKafkaProducer]:
    """A plain producer, as any client would use."""
    kafka = AIOKafkaProducer(bootstrap_servers=settings.kafka, enable_idempotence=True, linger_ms=5)
    await kafka.start()
    try:
        yield kafka
    finally:
        await kafka.stop()


async def command_fetch(settings: Settings, url: str, slot: int) -> None:
    """Command a document to be fetched for a slot (epoch ms), as the ticker does."""
    due = FetchDue((Due(url, "w", slot),))
    partition = partition_of(host(url), settings.partitions)
    async with producer(settings) as kafka:
        topic = settings.topic_prefix + FETCHES.name
        await kafka.send_and_wait(topic, wire.encode(due), partition=partition)


async def latest(settings: Settings, topic: str) -> dict[bytes, bytes]:
    """Read a compacted topic, by its full name, to its end: the last value of each key."""
    values = {message.key: message.value for message in await everything(settings, topic)}
    return {key: value for key, value in values.items() if value is not None}


async def everything(settings: Settings, topic: str) -> list[ConsumerRecord]:
    """Read a topic, by its full name, from its beginning to its end."""
    found: list[ConsumerRecord] = []
    async with tail(kafka_access(settings), topic, since=0) as consumer:
        for place, end in (await consumer.end_offsets(consumer.assignment())).items():
            while await consumer.position(place) < end:
                batch = await consumer.getmany(place, timeout_ms=1000)
                found += batch.get(place, ())
    return found
