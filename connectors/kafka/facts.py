"""Reading facts of a topic, without a consumer group."""

from collections.abc import AsyncGenerator, AsyncIterator, Mapping
from contextlib import asynccontextmanager

from aiokafka import AIOKafkaConsumer, ConsumerRecord, TopicPartition

from connectors.kafka.access import Access

MAX_MESSAGE = 16 * 1024 * 1024


@asynccontextmanager
async def tail(
    access: Access, topic: str, since: int | None = None
) -> AsyncIterator[AIOKafkaConsumer]:
    """Give a consumer of all partitions that reads what comes from now on.

    ``since`` (epoch ms) has it begin at the first message of that time or later
    instead. Raises KafkaConnectionError where no broker answers, and
    LookupError where the topic is missing.
    """
    consumer = AIOKafkaConsumer(
        topic,
        **access.client(),
        group_id=None,
        enable_auto_commit=False,
        max_partition_fetch_bytes=MAX_MESSAGE,
    )
    try:
        await consumer.start()
        await _seek(consumer, topic, since)
        yield consumer
    finally:
        await consumer.stop()


async def kept(access: Access, topic: str, since: int = 0) -> AsyncIterator[ConsumerRecord]:
    """Give the messages that there are now, from a time (epoch ms) on, in order per partition.

    Raises as ``tail`` does.
    """
    async with tail(access, topic, since) as consumer:
        for place, end in (await consumer.end_offsets(consumer.assignment())).items():
            async for message in _up_to(consumer, place, end):
                yield message


async def between(
    access: Access, topic: str, spans: Mapping[int, tuple[int, int]]
) -> AsyncGenerator[ConsumerRecord, None]:
    """Give what is kept of each partition from an offset on, up to another.

    Raises as ``tail`` does.
    """
    if all(begin >= end for begin, end in spans.values()):
        return
    async with tail(access, topic) as consumer:
        first = await consumer.beginning_offsets(consumer.assignment())
        for place in sorted(first):
            begin, end = spans[place.partition]
            consumer.seek(place, min(max(begin, first[place]), end))
            async for message in _up_to(consumer, place, end):
                yield message


async def _up_to(
    consumer: AIOKafkaConsumer, place: TopicPartition, end: int
) -> AsyncIterator[ConsumerRecord]:
    while await consumer.position(place) < end:
        found = await consumer.getmany(place, timeout_ms=1000)
        for message in found.get(place, ()):
            if message.offset < end:
                yield message


async def _seek(consumer: AIOKafkaConsumer, topic: str, since: int | None) -> None:
    """Stand at fixed offsets before anything is produced that must be seen."""
    partitions = consumer.assignment()
    if not partitions:
        raise LookupError(f"there is no topic {topic}")
    offsets = await consumer.end_offsets(partitions)
    if since is not None:
        found = await consumer.offsets_for_times(dict.fromkeys(partitions, since))
        offsets |= {tp: at.offset for tp, at in found.items() if at is not None}
    for partition, offset in offsets.items():
        consumer.seek(partition, offset)
