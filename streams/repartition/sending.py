"""Send many messages in their order, a limited number of them unacknowledged."""

import asyncio
from collections.abc import Callable
from typing import Any

from aiokafka import AIOKafkaProducer

CHUNK = 500
CHUNK_BYTES = 4_000_000


class OrderedSender:
    """Sends in chunks; ``flush`` returns once all are acknowledged, in the order of sending."""

    def __init__(self, producer: AIOKafkaProducer) -> None:
        """Send with a started producer."""
        self._producer = producer
        self._sent: list[tuple[asyncio.Future[Any], Callable[[int, int], None]]] = []
        self._bytes = 0
        self.count = 0

    async def send(
        self,
        topic: str,
        partition: int,
        key: bytes | None,
        value: bytes | None,
        *,
        timestamp: int | None = None,
        headers: tuple[tuple[str, bytes], ...] = (),
        note: Callable[[int, int], None] = lambda _, __: None,
    ) -> None:
        """Send a message; ``note`` is called with its partition and offset. Raises KafkaError."""
        future = await self._producer.send(
            topic, value, key, partition, timestamp_ms=timestamp, headers=list(headers)
        )
        self._sent.append((future, note))
        self._bytes += len(value or b"")
        self.count += 1
        if len(self._sent) >= CHUNK or self._bytes >= CHUNK_BYTES:
            await self.flush()

    async def flush(self) -> None:
        """Wait until all are acknowledged; raises KafkaError."""
        sent, self._sent, self._bytes = self._sent, [], 0
        if sent:
            await asyncio.wait([future for future, _ in sent])
        for future, note in sent:
            sent_to = await future
            note(sent_to.partition, sent_to.offset)
