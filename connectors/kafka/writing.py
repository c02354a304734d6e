"""Write to topics, for whatever is not an agent."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

from aiokafka import AIOKafkaProducer

from connectors.kafka.access import MAX_MESSAGE_BYTES, Access


@asynccontextmanager
async def large_message_producer(access: Access) -> AsyncIterator[AIOKafkaProducer]:
    """Connect a producer for the largest messages of a topic.

    Raises KafkaConnectionError if no broker answers.
    """
    producer = AIOKafkaProducer(**access.producer(), max_request_size=MAX_MESSAGE_BYTES)
    try:
        await producer.start()
        yield producer
    finally:
        await producer.stop()
