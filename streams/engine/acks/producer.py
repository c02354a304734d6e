"""Publish an agent's outputs: each acknowledged by all in-sync replicas, in order."""

import asyncio
from collections.abc import Callable, Iterable, Sequence

from aiokafka import AIOKafkaProducer
from aiokafka.client import AIOKafkaClient
from aiokafka.conn import CloseReason
from aiokafka.partitioner import DefaultPartitioner
from aiokafka.structs import RecordMetadata

from connectors.kafka.access import MAX_MESSAGE_BYTES, Access
from connectors.registry.codec import Codec
from schemas.codec import versions
from streams.engine.life.loop_watch import LoopWatch
from streams.values.outcome import Send
from streams.values.partitions import partition_of_bytes

Sent = asyncio.Future[RecordMetadata]

CHUNK = 500
CHUNK_BYTES = 4_000_000
"""Messages, and bytes of them, that are encoded before the broker has acknowledged them all."""
_BY_CHANCE = DefaultPartitioner()
BROKER_TIMEOUT_S = 60.0
"""Seconds that a message may wait for its broker before the process ends."""


class Producer:
    """The only way out of an agent; ``prefix`` goes before each topic's name."""

    def __init__(
        self,
        access: Access,
        prefix: str,
        loop_watch: LoopWatch,
        codec: Codec,
        count: Callable[[str, str], None],
    ) -> None:
        """Connect at ``start`` only, which needs a running event loop.

        ``count`` is called for each output, with its topic and its record's name. An output waits
        for others while a request is under way.
        """
        self._access = access
        self._codec = codec
        self._prefix = prefix
        self._loop_watch = loop_watch
        self._count = count
        self._kafka: AIOKafkaProducer

    async def start(self) -> None:
        """Connect; raises KafkaConnectionError if no broker answers."""
        self._kafka = AIOKafkaProducer(
            **self._access.producer(),
            max_request_size=MAX_MESSAGE_BYTES,
            request_timeout_ms=int(BROKER_TIMEOUT_S * 1000),
            partitioner=partition_of_key,
        )
        await self._kafka.start()

    async def stop(self) -> None:
        """Send what is buffered and disconnect."""
        await self._kafka.stop()

    def reconnect(self) -> None:
        """Send what is not acknowledged again, on new connections."""
        disconnect(self._kafka.client)

    async def flush(self) -> None:
        """Return when no message is in flight any more."""
        await self._kafka.flush()

    async def publish(self, sends: Iterable[Send]) -> None:
        """Send, and return when the broker has acknowledged every message.

        Order within a partition is kept. A fan-out is sent in chunks, so that it neither
        fills the memory nor starves other partitions.
        """
        chunk: list[Sent] = []
        size = 0
        for send in sends:
            value = self._codec.encode(send.topic, send.record)
            key = send.key.encode() if isinstance(send.key, str) else send.key
            self._count(send.topic, versions.name(send.record))
            topic = self._prefix + send.topic
            chunk.append(await self.send_raw(topic, key, value, send.partition, send.headers))
            size += len(value or b"")
            if len(chunk) >= CHUNK or size >= CHUNK_BYTES:
                await acknowledged_offsets(chunk)
                chunk, size = [], 0
        await acknowledged_offsets(chunk)

    async def send_raw(
        self,
        topic: str,
        key: bytes | None,
        value: bytes | None,
        partition: int | None,
        headers: Iterable[tuple[str, bytes]] = (),
    ) -> Sent:
        """Hand one encoded message over; the future is done when it is acknowledged.

        ``topic`` is the full name. Never cancel the future: it is the producer's own.
        """
        await self._loop_watch.membership.may_write()
        # The last moment: after a freeze another worker may be publishing in our place.
        self._loop_watch.check()
        future: Sent = await self._kafka.send(
            topic, value=value, key=key, partition=partition, headers=list(headers)
        )
        return future


def partition_of_key(key: bytes | None, every: Sequence[int], available: Sequence[int]) -> int:
    """Return the partition of a key as aiokafka does, which caches no hash."""
    if key is None:
        return int(_BY_CHANCE(key, every, available))
    return every[partition_of_bytes(key, len(every))]


def disconnect(client: AIOKafkaClient) -> None:
    """Close all connections of a client; it makes new ones, and asks where the brokers are."""
    for connection in list(client._conns.values()):  # noqa: SLF001 - see test_expectations.py
        connection.close(reason=CloseReason.CONNECTION_TIMEOUT)


async def acknowledged_offsets(futures: list[Sent]) -> list[int]:
    """Wait until all messages are acknowledged; returns their offsets, raises the first error.

    ``asyncio.gather`` would cancel the producer's own futures with us, which stops its
    sender.
    """
    if not futures:
        return []
    # All of them, even after an error: none may be on its way when the caller goes on.
    await asyncio.wait(futures)
    return [future.result().offset for future in futures]
