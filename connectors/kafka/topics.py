"""Create topics before any agent starts, and check them."""

import asyncio
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field

from aiokafka.admin import AIOKafkaAdminClient, NewTopic
from aiokafka.errors import KafkaError, TopicAlreadyExistsError, for_code

from connectors.kafka.access import Access
from connectors.kafka.admin import admin_client

MAX_REPLICATION = 3
IN_SYNC, MIN_IN_SYNC = "min.insync.replicas", 2
"""With three replicas so many must have a message before it is acknowledged: one may be lost."""
READY_TIMEOUT_S = 30.0


class TopicsError(Exception):
    """The topics cannot be as they must be; the text says what to do."""


@dataclass(frozen=True, slots=True)
class TopicSpec:
    """A topic by its full name, with what differs from the broker's defaults."""

    name: str
    partitions: int
    config: Mapping[str, str] = field(default_factory=dict)


async def create_topics(
    access: Access, topics: Iterable[TopicSpec], replication: int | None = None
) -> list[str]:
    """Create the topics that are missing, and return their names.

    ``replication`` None stands for 3, or the number of brokers if that is smaller.
    Raises TopicsError if a topic has another partition count, and KafkaConnectionError if
    no broker answers.
    """
    wanted = {topic.name: topic for topic in topics}
    async with admin_client(access) as admin:
        known = await _counts(admin)
        missing = [topic for name, topic in wanted.items() if name not in known]
        brokers = (await admin.describe_cluster())["brokers"]
        factor = replication or min(MAX_REPLICATION, len(brokers))
        await _create(admin, missing, factor)
        await _check(admin, wanted)
    return [topic.name for topic in missing]


async def _create(admin: AIOKafkaAdminClient, topics: list[TopicSpec], factor: int) -> None:
    if not topics:
        return
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
