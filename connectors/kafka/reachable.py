"""Choose a broker for requests answered by any."""

from random import sample
from typing import Any

from aiokafka.client import AIOKafkaClient


async def reachable_broker(client: AIOKafkaClient) -> Any:
    """Return the id of a random reachable broker, or of any if there is none.

    aiokafka asks a random broker, and raises NodeNotReadyError if just this broker is away.
    """
    brokers = [broker.nodeId for broker in client.cluster.brokers()]
    for node_id in sample(brokers, len(brokers)):
        if await client.ready(node_id):
            return node_id
    return client.get_random_node()
