"""The number of partitions of a deployment, and whether more are being added."""

import asyncio

import structlog
from aiokafka import TopicPartition
from aiokafka.errors import KafkaError
from aiokafka.partitioner import murmur2

from connectors.kafka.access import Access
from connectors.kafka.claims import publish_claim, read_claims
from connectors.kafka.reading import groupless_consumer
from schemas.codec.wire import decode
from schemas.records.claims import Partitioned

log = structlog.get_logger()

PARTITIONS = b"partitions"
RETRY_PAUSE_S = 1.0


async def partitioned(access: Access, topic: str) -> Partitioned | None:
    """Return the record about partitions on the topic ``deployment``; None while unchanged.

    Raises KafkaError.
    """
    async with groupless_consumer(access) as consumer:
        if topic not in await consumer.topics():
            return None
    found = await read_claims(access, topic, PARTITIONS, Partitioned)
    return found[-1] if found else None


async def publish_partitioned(access: Access, topic: str, state: Partitioned) -> None:
    """Let all processes know of the partitions; raises KafkaError."""
    await publish_claim(access, topic, PARTITIONS, state)


def are(state: Partitioned | None, partitions: int) -> bool:
    """Return whether topics have so many partitions, and are to have no more.

    >>> are(None, 8), are(Partitioned(32, 8, 0), 32), are(Partitioned(32, 8, 0, (), True), 32)
    (True, False, True)
    """
    return state is None or (state.is_done and state.partitions == partitions)


def place_of(state: Partitioned | None, partition: int, key: bytes) -> int:
    """Return the present partition for a message of an earlier partition, by its key.

    Messages on a wrong partition stay there.

    >>> place_of(Partitioned(6, 2, 0), 1, b"f"), place_of(None, 1, b"f")
    (3, 1)
    """
    if state is None:
        return partition
    found = int(murmur2(key) & 0x7FFFFFFF) % state.partitions
    return found if found % state.former == partition else partition


async def await_repartition(access: Access, topic: str, partitions: int) -> None:
    """Return when the topics are about to have more than these partitions."""
    while True:
        try:
            await _changed(access, topic, partitions)
        except (KafkaError, OSError) as error:
            log.warning(
                "the topic deployment cannot be read, retrying",
                error=repr(error),
                once_a_minute="deployment",
            )
            await asyncio.sleep(RETRY_PAUSE_S)
        else:
            return


async def _changed(access: Access, topic: str, partitions: int) -> None:
    place = TopicPartition(topic, 0)
    async with groupless_consumer(access) as consumer:
        consumer.assign([place])
        last = (await consumer.end_offsets([place]))[place] - 1
        await consumer.seek_to_beginning(place)
        state: Partitioned | None = None
        async for message in consumer:
            if message.key == PARTITIONS:
                state = decode(message.value, Partitioned)
            # Only the last one holds: earlier ones are of additions that are done.
            if message.offset >= last and not are(state, partitions):
                return
