"""No worker runs with other partitions than its deployment has."""

from connectors.kafka.access import Access
from connectors.kafka.partitioning import are, partitioned
from streams.engine.life.pulse import end_process


async def check_partitions(access: Access, topic: str, partitions: int) -> None:
    """End the process if its deployment has not so many ``partitions``, or will have more.

    ``topic`` says how many it has, by its full name. Raises KafkaError.
    """
    if not are(await partitioned(access, topic), partitions):
        end_process("partitions are added; it starts again with them")
