"""Add partitions to topics."""

import asyncio
from collections.abc import Collection

from aiokafka.admin import AIOKafkaAdminClient, NewPartitions

from connectors.kafka.inspection import found_topics

READY_TIMEOUT_S = 60.0


async def grow_topics(admin: AIOKafkaAdminClient, names: Collection[str], partitions: int) -> None:
    """Give topics so many partitions, each with a leader; those that have them stay as they are.

    Raises KafkaError.
    """
    found = await found_topics(admin, list(names))
    few = [name for name, topic in found.items() if topic.partitions < partitions]
    if few:
        await admin.create_partitions({name: NewPartitions(partitions) for name in few})
    async with asyncio.timeout(READY_TIMEOUT_S):
        # ASYNC110: what is awaited happens on the cluster, which has no event for it
        while not await _are_ready(admin, names, partitions):  # noqa: ASYNC110
            await asyncio.sleep(0.1)


async def _are_ready(admin: AIOKafkaAdminClient, names: Collection[str], partitions: int) -> bool:
    found = await found_topics(admin, list(names))
    return all(
        name in found and found[name].partitions == partitions and not found[name].leaderless
        for name in names
    )
