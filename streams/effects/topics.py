"""The topics and changelogs of a deployment, as they are created."""

from connectors.kafka.access import MAX_MESSAGE_BYTES
from connectors.kafka.topics import TopicSpec
from schemas.records.topics import TOPICS, Topic
from streams.app import AGENTS
from streams.settings import Settings
from streams.values.agent import changelog_topic


def topic_specs(settings: Settings) -> list[TopicSpec]:
    """Return every topic and changelog, which must exist before any agent starts."""
    count, prefix = settings.partitions, settings.topic_prefix
    specs = [TopicSpec(prefix + topic.name, count, _config(topic, settings)) for topic in TOPICS]
    for agent in AGENTS.values():
        for table in agent.tables:
            name = changelog_topic(prefix, agent.name, table.name)
            # The broker's times: ``vokter doctor`` compares them with those in the ticker's rows.
            config = {"cleanup.policy": "compact", "message.timestamp.type": "LogAppendTime"}
            if (ttl := table.ttl_s(settings.retention_ms)) is not None:
                config = {"cleanup.policy": "compact,delete", "retention.ms": str(ttl * 1000)}
            specs.append(TopicSpec(name, count, config))
    return specs


def _config(topic: Topic, settings: Settings) -> dict[str, str]:
    if topic.keeps_last:
        return {"cleanup.policy": "compact"}
    config = {"retention.ms": str(settings.retention_ms)}
    if topic.large:
        config["max.message.bytes"] = str(MAX_MESSAGE_BYTES)
    if topic.open_to_all:
        config["message.timestamp.type"] = "LogAppendTime"
    return config
