"""Reading facts of a topic, without a consumer group."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

from aiokafka import AIOKafkaConsumer, ConsumerRecord

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
