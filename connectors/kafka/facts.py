"""Reading facts from the end of a topic, without a consumer group."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

from aiokafka import AIOKafkaConsumer

MAX_MESSAGE = 16 * 1024 * 1024


@asynccontextmanager
async def tail(
    bootstrap: str, topic: str, since: int | None = None
) -> AsyncIterator[AIOKafkaConsumer]:
    """Give a consumer of all partitions that reads what comes from now on.

    ``since`` (epoch ms) has it begin at the first message of that time or later
    instead. Raises KafkaConnectionError where no broker answers, and
    LookupError where the topic is missing.
    """
    consumer = AIOKafkaConsumer(
        topic,
        bootstrap_servers=bootstrap,
        group_id=None,
        enable_auto_commit=False,
        max_partition_fetch_bytes=MAX_MESSAGE,
    )
    await consumer.start()
    try:
        await _seek(consumer, topic, since)
        yield consumer
    finally:
        await consumer.stop()


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
