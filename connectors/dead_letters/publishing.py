"""Publish the dead letters of a program that uses the library."""

import asyncio
import logging
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager

from aiokafka.errors import KafkaError

from connectors.dead_letters.writing import RawMessage
from connectors.kafka.access import Access
from connectors.kafka.writing import large_message_producer

log = logging.getLogger("vokter")

PAUSE_S = 5.0

PublishDeadLetter = Callable[[RawMessage], Awaitable[None]]
"""Returns once a dead letter is on its topic."""


@asynccontextmanager
async def publishing_dead_letters(access: Access, topic: str) -> AsyncIterator[PublishDeadLetter]:
    """Connect a function that publishes a dead letter, however long that takes.

    Raises KafkaConnectionError if no broker answers at the start.
    """
    async with large_message_producer(access) as producer:

        async def publish(letter: RawMessage) -> None:
            key, value, headers = letter
            while True:
                try:
                    await producer.send_and_wait(topic, value, key=key, headers=list(headers))
                except KafkaError as error:
                    log.warning(
                        "a dead letter could not be written, retrying in %g s: %r", PAUSE_S, error
                    )
                    await asyncio.sleep(PAUSE_S)
                else:
                    return

        yield publish
