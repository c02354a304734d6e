"""Add partitions to topics."""

import asyncio
from collections.abc import Collection

from aiokafka.admin import AIOKafkaAdminClient, NewPartitions

from connectors.kafka.inspection import found_topics
from streams.repartition.growth import NoGrowth

READY_TIMEOUT_S = 60.0


async def check_growable(
    admin: AIOKafkaAdminClient, names: Collection[str], former: int, partitions: int
) -> None:
    """Have the brokers check whether topics can be given so many partitions; changes nothing.

    A later failure would stop all workers. Raises NoGrowth, and KafkaError if the brokers refuse.
    """
    found = await found_topics(admin, names)
    for name in names:
        if name not in found:
            raise NoGrowth(f"Refused: the topic {name} is missing; run 'vokter topics create'.")
        if found[name].partitions != former:
            raise NoGrowth(
                f"Refused: the topic {name} has {found[name].partitions} partitions, and the "
                f"deployment {former}."
            )
    wanted = {name: NewPartitions(partitions) for name in names}
    await admin.create_partitions(wanted, validate_only=True)


async def grow_topics(admin: AIOKafkaAdminClient, names: Collection[str], partitions: int) -> None:
    """Give topics so many partitions, each with a leader; complete topics stay unchanged.

    Raises KafkaError.
    """
    found = await found_topics(admin, list(names))
    few = [name for name, topic in found.items() if topic.partitions < partitions]
    if few:
        await admin.create_partitions({name: NewPartitions(partitions) for name in few})
    async with asyncio.timeout(READY_TIMEOUT_S):
        while True:
            topics = await found_topics(admin, list(names))
            ready = (
                each.partitions == partitions and not each.leaderless for each in topics.values()
            )
            if len(topics) == len(set(names)) and all(ready):
                return
            await asyncio.sleep(0.1)  # it happens on the cluster, which has no event for it
