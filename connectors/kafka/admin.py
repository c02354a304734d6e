"""The client with which a cluster is looked at and changed."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

from aiokafka.admin import AIOKafkaAdminClient

from connectors.kafka.access import Access
from connectors.kafka.reachable import reachable_broker


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
