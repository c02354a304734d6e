"""Read topics as a log: whole partitions or parts of them, without a consumer group."""

import asyncio
from collections.abc import AsyncGenerator, AsyncIterator, Mapping
from contextlib import asynccontextmanager
from typing import Any, NamedTuple

import structlog
from aiokafka import AIOKafkaConsumer, ConsumerRecord, TopicPartition

from connectors.kafka.access import MAX_MESSAGE_BYTES, Access
from connectors.kafka.patching import patch_consumers, patch_started

log = structlog.get_logger()

POLL_TIMEOUT_MS = 1_000
LOOK_EVERY_S = 10.0
"""Seconds after which a reader of a whole topic looks for more partitions."""
READ_COMMITTED = "read_committed"
"""Messages of a transaction are read once committed, and never if aborted."""

Span = tuple[int, int]
"""The first offset to read, and the offset to stop before."""


class LogBatch(NamedTuple):
    """Messages of a partition, and the ``position`` after them: the next offset to read."""

    partition: TopicPartition
    messages: list[ConsumerRecord]
    position: int


@asynccontextmanager
async def groupless_consumer(
    access: Access, *topics: str, **options: Any
) -> AsyncIterator[AIOKafkaConsumer]:
    """Connect a consumer without a group and commits.

    The consumer is assigned all partitions of these ``topics``; without any, the caller assigns
    some. ``options`` are aiokafka's. Raises KafkaConnectionError if no broker answers.
    """
    patch_consumers()
    # If its offset was deleted meanwhile, a reader goes on with the oldest message left.
    options = {"auto_offset_reset": "earliest", "isolation_level": READ_COMMITTED, **options}
    consumer = AIOKafkaConsumer(
        *topics, **access.client(), group_id=None, enable_auto_commit=False, **options
    )
    try:
        await consumer.start()
        # A routine of aiokafka's that is cancelled before it has begun makes stop() raise
        # CancelledError, in place of what has gone wrong.
        await asyncio.sleep(0)
        patch_started(consumer)
        yield consumer
    finally:
        await consumer.stop()


async def read_batches(
    consumer: AIOKafkaConsumer,
    spans: Mapping[TopicPartition, Span],
    max_messages: int | None = None,
) -> AsyncGenerator[LogBatch, None]:
    """Read assigned partitions, each from an offset up to another, all of them at once.

    Yields a batch, even empty, whenever a position may have moved: compaction and transactions
    leave offsets without a message, and a span may end with such offsets. The last batch may go
    beyond the span, as far as messages were fetched. Raises KafkaError.
    """
    unread = {partition: end for partition, (begin, end) in spans.items() if begin < end}
    for partition in unread:
        consumer.seek(partition, spans[partition][0])
    while unread:
        found = await consumer.getmany(
            *unread, timeout_ms=POLL_TIMEOUT_MS, max_records=max_messages
        )
        for partition, end in list(unread.items()):
            position = await consumer.position(partition)
            yield LogBatch(partition, found.get(partition, []), position)
            if position >= end:
                del unread[partition]


async def read_messages(
    consumer: AIOKafkaConsumer, spans: Mapping[TopicPartition, Span]
) -> AsyncGenerator[ConsumerRecord, None]:
    """Read assigned partitions in sequence, each from an offset up to another."""
    for partition in sorted(spans):
        async for batch in read_batches(consumer, {partition: spans[partition]}):
            for message in batch.messages:
                if message.offset < spans[partition][1]:
                    yield message


@asynccontextmanager
async def tail(
    access: Access, topic: str, since: int | None = None
) -> AsyncIterator[AIOKafkaConsumer]:
    """Connect a consumer of all partitions of a topic for messages from now on.

    Added partitions are read from their beginning. With ``since`` (epoch ms) the first message is
    of this time or later. Raises KafkaConnectionError if no broker answers, and LookupError if the
    topic is missing.
    """
    options = {
        "max_partition_fetch_bytes": MAX_MESSAGE_BYTES,
        "metadata_max_age_ms": int(LOOK_EVERY_S * 1000),
    }
    async with groupless_consumer(access, topic, **options) as consumer:
        partitions = sorted(consumer.assignment())
        if not partitions:
            raise LookupError(f"there is no topic {topic}")
        # While a topic is deleted a subscribed consumer drops it, and looks for it after five
        # minutes; an assigned one reads on, from the beginning, as soon as it is created again.
        consumer.unsubscribe()
        consumer.assign(partitions)
        # Fixed offsets: what is produced from now on is seen, however late the first fetch is.
        for partition, offset in (await _offsets_at(consumer, since)).items():
            consumer.seek(partition, offset)
        following = asyncio.create_task(_follow(consumer, topic))
        try:
            yield consumer
        finally:
            await end_task(following)


async def end_task(task: "asyncio.Task[None]") -> None:
    """Cancel a task, and await its end."""
    task.cancel()
    await asyncio.wait([task])


async def _follow(consumer: AIOKafkaConsumer, topic: str) -> None:
    """Read further partitions, too, as soon as there are some."""
    while True:
        await asyncio.sleep(LOOK_EVERY_S)
        try:
            known = consumer.assignment()
            numbers = consumer.partitions_for_topic(topic) or ()
            added = {TopicPartition(topic, number) for number in numbers} - known
            if added:
                positions = {partition: await consumer.position(partition) for partition in known}
                consumer.assign([*positions, *added])
                for partition, offset in (dict.fromkeys(added, 0) | positions).items():
                    consumer.seek(partition, offset)
        except Exception as error:  # noqa: BLE001 - without this task none would be read
            log.warning("no look for further partitions", topic=topic, error=repr(error))


async def messages_since(
    access: Access, topic: str, since: int = 0
) -> AsyncGenerator[ConsumerRecord, None]:
    """Read the present messages of a topic, from a time (epoch ms) on, partition by partition.

    Raises as ``tail`` does.
    """
    async with tail(access, topic) as consumer:
        begins = await _offsets_at(consumer, since)
        ends = await consumer.end_offsets(begins)
        spans = {partition: (begin, ends[partition]) for partition, begin in begins.items()}
        async for message in read_messages(consumer, spans):
            yield message


async def _offsets_at(consumer: AIOKafkaConsumer, since: int | None) -> dict[TopicPartition, int]:
    """Look up where a time (epoch ms) begins in each partition: its end if nothing came since."""
    partitions = consumer.assignment()
    offsets: dict[TopicPartition, int] = await consumer.end_offsets(partitions)
    if since is not None:
        found = await consumer.offsets_for_times(dict.fromkeys(partitions, since))
        offsets |= {tp: at.offset for tp, at in found.items() if at is not None}
    return offsets
