"""The client with which a cluster is looked at and changed."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

from aiokafka.admin import AIOKafkaAdminClient

from connectors.kafka.access import Access


@asynccontextmanager
async def admin_client(access: Access) -> AsyncIterator[AIOKafkaAdminClient]:
    """Connect a client until left; raises KafkaConnectionError if no broker answers."""
    admin = AIOKafkaAdminClient(**access.client())
    try:
        await admin.start()
        yield admin
    finally:
        await admin.close()
