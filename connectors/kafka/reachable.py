"""Choose a broker for what any of them can answer."""

from random import sample
from typing import Any

from aiokafka.client import AIOKafkaClient


async def reachable_broker(client: AIOKafkaClient) -> Any:
    """Return the id of a random broker that can be reached, or of any if there is none.

    aiokafka asks one at random, and raises NodeNotReadyError if just that one is away.
    """
    brokers = [broker.nodeId for broker in client.cluster.brokers()]
    for node_id in sample(brokers, len(brokers)):
        if await client.ready(node_id):
            return node_id
    return client.get_random_node()
