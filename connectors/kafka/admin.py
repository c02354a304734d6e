"""The client with which a cluster is looked at and changed."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from random import sample
from typing import Any

from aiokafka.admin import AIOKafkaAdminClient
from aiokafka.client import AIOKafkaClient

from connectors.kafka.access import Access


@asynccontextmanager
async def admin_client(access: Access) -> AsyncIterator[AIOKafkaAdminClient]:
    """Connect a client until left; raises KafkaConnectionError if no broker answers."""
    admin = AIOKafkaAdminClient(**access.client())
    ask_reachable_brokers(admin)
    try:
        await admin.start()
        yield admin
    finally:
        await admin.close()


def ask_reachable_brokers(admin: AIOKafkaAdminClient) -> None:
    """Direct requests for any broker to a reachable broker."""
    # aiokafka has no public way to any of these.
    client, send = admin._client, admin._send_request  # noqa: SLF001

    async def send_request(request: Any, node_id: int | None = None) -> Any:
        return await send(request, await reachable_broker(client) if node_id is None else node_id)

    admin._send_request = send_request  # noqa: SLF001


async def reachable_broker(client: AIOKafkaClient) -> Any:
    """Return the id of a random reachable broker, or of any if there is none.

    aiokafka asks a random broker, and raises NodeNotReadyError if just this broker is away.
    """
    brokers = [broker.nodeId for broker in client.cluster.brokers()]
    for node_id in sample(brokers, len(brokers)):
        if await client.ready(node_id):
            return node_id
    return client.get_random_node()
