"""The way of a manager's dead letters to their topic."""

import asyncio
import logging
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

from aiokafka import AIOKafkaProducer
from aiokafka.errors import KafkaError

from connectors.client.inbox import Bury
from connectors.kafka.access import Access
from connectors.kafka.burial import Letter
from connectors.kafka.facts import MAX_MESSAGE

log = logging.getLogger("vokter")

PAUSE = 5.0


@asynccontextmanager
async def burying(access: Access, topic: str) -> AsyncIterator[Bury]:
    """Give what puts a letter on the topic, however long that takes."""
    kafka = AIOKafkaProducer(
        **access.client(), enable_idempotence=True, max_request_size=MAX_MESSAGE
    )

    async def bury(letter: Letter) -> None:
        key, value, headers = letter
        while True:
            try:
                await kafka.send_and_wait(topic, value, key=key, headers=list(headers))
            except KafkaError as error:
                log.warning("a dead letter could not be written, trying again: %r", error)
                await asyncio.sleep(PAUSE)
            else:
                return

    await kafka.start()
    try:
        yield bury
    finally:
        await kafka.stop()
