"""How a consumer group stands: who holds what, and how far it has come."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from aiokafka import AIOKafkaConsumer, TopicPartition
from aiokafka.admin import AIOKafkaAdminClient
from aiokafka.coordinator.protocol import ConsumerProtocolMemberAssignment


@dataclass(frozen=True, slots=True)
class Group:
    """A group's state, how many members it has, what they hold, and committed offsets."""

    state: str
    members: int
    held: frozenset[TopicPartition]
    committed: Mapping[TopicPartition, int]


async def describe(admin: AIOKafkaAdminClient, name: str) -> Group:
    """Ask the group's coordinator."""
    answer = (await admin.describe_consumer_groups([name]))[0]
    _, _, state, _, _, members, *_ = answer.groups[0]
    offsets = await admin.list_consumer_group_offsets(name)
    held = frozenset(tp for member in members for tp in _held(member))
    return Group(
        state, len(members), held, {tp: at.offset for tp, at in offsets.items() if at.offset >= 0}
    )


def _held(member: Any) -> Iterable[TopicPartition]:
    assignment = member[-1]
    if not assignment:
        return
    for topic, partitions in ConsumerProtocolMemberAssignment.decode(assignment).assignment:
        for partition in partitions:
            yield TopicPartition(topic, partition)


def places(topics: Iterable[str], partitions: int) -> list[TopicPartition]:
    """Give every partition of these topics."""
    return [TopicPartition(topic, number) for topic in topics for number in range(partitions)]


async def ends(
    consumer: AIOKafkaConsumer, topics: Iterable[str], partitions: int
) -> dict[TopicPartition, int]:
    """Give the end of every partition of these topics."""
    found: dict[TopicPartition, int] = await consumer.end_offsets(places(topics, partitions))
    return found


async def lag(
    consumer: AIOKafkaConsumer, group: Group, topics: Iterable[str], partitions: int
) -> dict[TopicPartition, int]:
    """Give how many messages each partition of these topics has that are not committed."""
    end = await ends(consumer, topics, partitions)
    begin: dict[TopicPartition, int] = await consumer.beginning_offsets(list(end))
    done = {place: max(first, group.committed.get(place, 0)) for place, first in begin.items()}
    return {place: max(0, last - done[place]) for place, last in end.items()}
