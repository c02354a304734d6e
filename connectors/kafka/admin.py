"""The client with which a cluster is looked at and changed."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from random import sample
from typing import Any

from aiokafka.admin import AIOKafkaAdminClient

from connectors.kafka.access import Access


@asynccontextmanager
async def admin_client(access: Access) -> AsyncIterator[AIOKafkaAdminClient]:
    """Connect a client until left; raises KafkaConnectionError if no broker answers."""
    admin = new_admin_client(access)
    try:
        await admin.start()
        yield admin
    finally:
        await admin.close()


def new_admin_client(access: Access) -> AIOKafkaAdminClient:
    """Return a client that is not connected yet, for one that is closed elsewhere."""
    admin = AIOKafkaAdminClient(**access.client())
    ask_reachable_brokers(admin)
    return admin


def ask_reachable_brokers(admin: AIOKafkaAdminClient) -> None:
    """Let what any broker can answer be asked of one that can be reached.

    aiokafka asks one at random, and raises NodeNotReadyError if just that one is away.
    """
    # aiokafka has no public way to any of these.
    client, send = admin._client, admin._send_request  # noqa: SLF001

    async def send_request(request: Any, node_id: int | None = None) -> Any:
        return await send(request, await _reachable(client) if node_id is None else node_id)

    admin._send_request = send_request  # noqa: SLF001


async def _reachable(client: Any) -> int | None:
    """Return a random broker that can be reached, None if there is none."""
    brokers = [broker.nodeId for broker in client.cluster.brokers()]
    for node_id in sample(brokers, len(brokers)):
        if await client.ready(node_id):
            return int(node_id)
    return None
