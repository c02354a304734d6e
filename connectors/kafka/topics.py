"""Create topics before any agent starts, and check them."""

import asyncio
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field

import structlog
from aiokafka.admin import AIOKafkaAdminClient, NewTopic
from aiokafka.admin.config_resource import ConfigResource, ConfigResourceType
from aiokafka.errors import KafkaError, TopicAlreadyExistsError, for_code

from connectors.kafka.access import Access
from connectors.kafka.admin import admin_client, reachable_broker

log = structlog.get_logger()

MAX_REPLICATION = 3
IN_SYNC, MIN_IN_SYNC = "min.insync.replicas", 2
"""With three replicas so many must have a message before its acknowledgement: a loss of one is
tolerable."""
OFFSETS_REPLICAS = "offsets.topic.replication.factor"
READY_TIMEOUT_S = 30.0
POLL_S = 0.5


class TopicsError(Exception):
    """The topics cannot be as required; the text names the remedy."""


@dataclass(frozen=True, slots=True)
class TopicSpec:
    """A topic by its full name, with its differences from the broker's defaults."""

    name: str
    partitions: int
    config: Mapping[str, str] = field(default_factory=dict)


async def create_topics(
    access: Access, topics: Iterable[TopicSpec], replication: int | None = None
) -> list[str]:
    """Create the missing topics, and return their names.

    ``replication`` None stands for 3, or the number of the cluster's brokers if smaller. Raises
    TopicsError if a topic has another partition count or brokers are away, and KafkaConnectionError
    if no broker answers.
    """
    wanted = {topic.name: topic for topic in topics}
    async with admin_client(access) as admin:
        known = await _counts(admin)
        missing = [topic for name, topic in wanted.items() if name not in known]
        if missing:
            await _create(admin, missing, await _awaited_replicas(admin, replication))
        await _check(admin, wanted)
    return [topic.name for topic in missing]


async def wanted_replicas(admin: AIOKafkaAdminClient, replication: int | None) -> int:
    """Return how many replicas topics have by default; raises KafkaError.

    An unavailable broker counts if a topic has replicas there. In a new cluster none has, but there
    the factor of the topic of consumer offsets, without which no group can read, says how many
    brokers are to come.
    """
    if replication is not None:
        return replication
    known = await _brokers(admin)
    for topic in await admin.describe_topics():
        known |= {node for partition in topic["partitions"] for node in partition["replicas"]}
    node = await reachable_broker(admin._client)  # noqa: SLF001 - it has no public way to it
    asked = ConfigResource(ConfigResourceType.BROKER, str(node), {OFFSETS_REPLICAS: None})
    entries = [
        entry
        for answer in await admin.describe_configs([asked])
        for *_, found in answer.resources
        for entry in found
    ]
    of_offsets = (int(value) for name, value, *_ in entries if name == OFFSETS_REPLICAS)
    return min(MAX_REPLICATION, max(len(known), next(of_offsets, 0)))


async def _awaited_replicas(admin: AIOKafkaAdminClient, replication: int | None) -> int:
    """Return the replicas of new topics once there are brokers for them; raises TopicsError."""
    loop = asyncio.get_running_loop()
    deadline = loop.time() + READY_TIMEOUT_S
    while (there := len(await _brokers(admin))) < (
        replicas := await wanted_replicas(admin, replication)
    ):
        if loop.time() > deadline:
            raise TopicsError(
                f"topics are created with {replicas} replicas, but only {there} of the cluster's "
                "brokers can be reached: start the others. If there are no others, set "
                f"VOKTER_REPLICATION={there}."
            )
        log.warning("brokers are away", wanted=replicas, there=there, once_a_minute="brokers")
        await asyncio.sleep(POLL_S)
    return replicas


async def _brokers(admin: AIOKafkaAdminClient) -> set[int]:
    return {each["node_id"] for each in (await admin.describe_cluster())["brokers"]}


async def _create(admin: AIOKafkaAdminClient, topics: list[TopicSpec], factor: int) -> None:
    durable = {} if factor < MAX_REPLICATION else {IN_SYNC: str(MIN_IN_SYNC)}
    new = [
        NewTopic(topic.name, topic.partitions, factor, topic_configs={**durable, **topic.config})
        for topic in topics
    ]
    answer = await admin.create_topics(new)
    for name, code, message in answer.topic_errors:
        error = for_code(code)
        if error not in (KafkaError, TopicAlreadyExistsError) and code != 0:
            raise TopicsError(f"topic {name} could not be created: {message or error.__name__}")


async def _check(admin: AIOKafkaAdminClient, wanted: Mapping[str, TopicSpec]) -> None:
    """Wait until every topic is known with all its partitions."""
    async with asyncio.timeout(READY_TIMEOUT_S):
        # ASYNC110: what is awaited happens on the cluster, which has no event for it
        while not wanted.keys() <= (counts := await _counts(admin)).keys():  # noqa: ASYNC110
            await asyncio.sleep(0.1)
    for name, topic in wanted.items():
        if counts[name] != topic.partitions:
            raise TopicsError(
                f"topic {name} has {counts[name]} partitions, but VOKTER_PARTITIONS is "
                f"{topic.partitions}. Set VOKTER_PARTITIONS={counts[name]}, and add partitions "
                "with 'vokter repartition'; or use another VOKTER_TOPIC_PREFIX."
            )


async def _counts(admin: AIOKafkaAdminClient) -> dict[str, int]:
    """Return the number of partitions of each topic, if all its partitions have a leader."""
    topics = await admin.describe_topics()
    return {
        topic["topic"]: len(topic["partitions"])
        for topic in topics
        if all(partition["leader"] >= 0 for partition in topic["partitions"])
    }
