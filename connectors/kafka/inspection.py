"""Inspect topics on the cluster: their configuration, and the newest times on them."""

from collections.abc import Collection, Mapping
from dataclasses import dataclass

from aiokafka import AIOKafkaConsumer
from aiokafka.admin import AIOKafkaAdminClient
from aiokafka.admin.config_resource import ConfigResource, ConfigResourceType

from connectors.kafka.groups import all_partitions

MESSAGE_TIMEOUT_MS = 3_000


@dataclass(frozen=True, slots=True)
class FoundTopic:
    """An existing topic: partitions, the number without a leader, replicas, configuration."""

    partitions: int
    leaderless: int
    replication: int
    config: Mapping[str, str]


async def found_topics(admin: AIOKafkaAdminClient, names: Collection[str]) -> dict[str, FoundTopic]:
    """Return the existing topics among these, by name; raises KafkaError."""
    there = {topic["topic"]: topic["partitions"] for topic in await admin.describe_topics()}
    known = [name for name in names if name in there]
    resources = [ConfigResource(ConfigResourceType.TOPIC, name) for name in known]
    configs = {
        name: {entry[0]: entry[1] for entry in entries}
        for answer in (await admin.describe_configs(resources) if known else [])
        for _, _, _, name, entries in answer.resources
    }
    found = {}
    for name in known:
        leaderless = sum(partition["leader"] < 0 for partition in there[name])
        copies = min((len(partition["replicas"]) for partition in there[name]), default=0)
        found[name] = FoundTopic(len(there[name]), leaderless, copies, configs.get(name, {}))
    return found


async def newest_time(consumer: AIOKafkaConsumer, topic: str, partitions: int) -> int | None:
    """Return the newest time (epoch ms) on a topic, None if empty; raises KafkaError."""
    places = all_partitions([topic], partitions)
    begins, ends = await consumer.beginning_offsets(places), await consumer.end_offsets(places)
    filled = [place for place in places if begins[place] < ends[place]]
    consumer.assign(filled)
    for place in filled:
        consumer.seek(place, ends[place] - 1)
    if not filled:
        return None
    found = await consumer.getmany(*filled, timeout_ms=MESSAGE_TIMEOUT_MS)
    times = [message.timestamp for messages in found.values() for message in messages]
    return max(times, default=None)
