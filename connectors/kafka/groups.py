"""Look up a consumer group: the assignments of its members, and its progress."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from aiokafka import AIOKafkaConsumer, TopicPartition
from aiokafka.admin import AIOKafkaAdminClient
from aiokafka.coordinator.protocol import ConsumerProtocolMemberAssignment


@dataclass(frozen=True, slots=True)
class Group:
    """A group's state, the number of its members, their assignments, committed offsets."""

    state: str
    members: int
    held: frozenset[TopicPartition]
    committed: Mapping[TopicPartition, int]


async def describe_group(admin: AIOKafkaAdminClient, name: str) -> Group:
    """Ask the group's coordinator; raises KafkaError."""
    answer = (await admin.describe_consumer_groups([name]))[0]
    _, _, state, _, _, members, *_ = answer.groups[0]
    offsets = await admin.list_consumer_group_offsets(name)
    committed = {tp: at.offset for tp, at in offsets.items() if at.offset >= 0}
    held: set[TopicPartition] = set()
    for *_, assignment in members:
        if assignment:
            decoded = ConsumerProtocolMemberAssignment.decode(assignment)
            for topic, partitions in decoded.assignment:
                held.update(TopicPartition(topic, partition) for partition in partitions)
    return Group(state, len(members), frozenset(held), committed)


def all_partitions(topics: Iterable[str], partitions: int) -> list[TopicPartition]:
    """Return every partition of these topics.

    Example:
        >>> all_partitions(["crawls"], 2)
        [TopicPartition(topic='crawls', partition=0), TopicPartition(topic='crawls', partition=1)]
    """
    return [TopicPartition(topic, number) for topic in topics for number in range(partitions)]


async def end_offsets_of(
    consumer: AIOKafkaConsumer, topics: Iterable[str], partitions: int
) -> dict[TopicPartition, int]:
    """Return the end of every partition of these topics; raises KafkaError."""
    found: dict[TopicPartition, int] = await consumer.end_offsets(
        all_partitions(topics, partitions)
    )
    return found


async def group_lag(
    consumer: AIOKafkaConsumer, group: Group, topics: Iterable[str], partitions: int
) -> dict[TopicPartition, int]:
    """Return how many messages of each partition the group has not committed yet."""
    end = await end_offsets_of(consumer, topics, partitions)
    return lag_of(await consumer.beginning_offsets(list(end)), end, group.committed)


def lag_of(
    begins: Mapping[TopicPartition, int],
    ends: Mapping[TopicPartition, int],
    committed: Mapping[TopicPartition, int],
) -> dict[TopicPartition, int]:
    """Return how many messages of each partition wait after its committed offset.

    Messages deleted by retention before their reading cannot be committed any more.

    >>> partition = TopicPartition("changes", 0)
    >>> lag_of({partition: 3}, {partition: 9}, {partition: 1})[partition]
    6
    """
    return {tp: max(0, end - max(begins[tp], committed.get(tp, 0))) for tp, end in ends.items()}
