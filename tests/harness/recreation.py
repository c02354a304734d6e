"""Topics that an operator deletes, with all their messages, and creates again."""

from collections.abc import Collection

from aiokafka.admin import AIOKafkaAdminClient

from connectors.kafka.topics import create_topics
from schemas.records.topics import Topic
from streams.effects.connections import kafka_access
from streams.effects.topics import topic_specs
from streams.settings import Settings
from tests.harness.waiting import eventually


async def recreate_topics(settings: Settings, topics: Collection[Topic]) -> None:
    """Delete topics, and create them with the same settings."""
    access = kafka_access(settings)
    names = [settings.topic_prefix + topic.name for topic in topics]
    admin = AIOKafkaAdminClient(**access.client())
    await admin.start()

    async def are_gone() -> bool:
        return not {*names} & {*await admin.list_topics()}

    try:
        await admin.delete_topics(names)
        await eventually(are_gone, "the topics are deleted")
    finally:
        await admin.close()
    # A worker that starts at this moment may have created them.
    await create_topics(access, topic_specs(settings))
