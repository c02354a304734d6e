"""Judges topics for ``vokter doctor``: actual and required properties in, findings out."""

from collections.abc import Iterator, Mapping, Sequence

from connectors.kafka.inspection import FoundTopic
from connectors.kafka.topics import IN_SYNC, MAX_REPLICATION, MIN_IN_SYNC, TopicSpec
from streams.cli.checks.finding import Finding, Level
from streams.cli.output import shortened

CHANGE = "Change it with Kafka's kafka-configs tool (--alter --add-config {name}={value})."


def judge_topics(
    wanted: Sequence[TopicSpec],
    found: Mapping[str, FoundTopic],
    replicas: int,
) -> Iterator[Finding]:
    """Judge whether all topics exist and are as they must be.

    Args:
        wanted: the topics of the deployment.
        found: those that exist, by name.
        replicas: how many each must have.
    """
    missing = [topic.name for topic in wanted if topic.name not in found]
    if missing:
        yield Finding(
            Level.ERROR,
            "topics",
            f"{len(missing)} of {len(wanted)} are missing: {shortened(missing)}",
            "Create them: vokter topics create",
        )
    bad = [
        finding
        for topic in wanted
        if topic.name in found
        for finding in _judge_topic(topic, found[topic.name], replicas)
    ]
    yield from bad
    if not bad and not missing:
        count = wanted[0].partitions
        yield Finding(Level.OK, "topics", f"all {len(wanted)} exist, with {count} partitions each")


def _judge_topic(wanted: TopicSpec, found: FoundTopic, replicas: int) -> Iterator[Finding]:
    if found.partitions != wanted.partitions:
        yield Finding(
            Level.ERROR,
            wanted.name,
            f"it has {found.partitions} partitions, but must have {wanted.partitions}",
            f"If all topics have {found.partitions}, set VOKTER_PARTITIONS={found.partitions}. "
            "Otherwise use another VOKTER_TOPIC_PREFIX: all topics need the same count.",
        )
    if found.leaderless:
        yield Finding(
            Level.ERROR,
            wanted.name,
            f"{found.leaderless} partitions have no leader",
            "Start the brokers that are down.",
        )
    if found.replication < replicas:
        yield Finding(
            Level.WARNING,
            wanted.name,
            f"its replication factor is {found.replication}, not {replicas}",
            "Add replicas with Kafka's kafka-reassign-partitions tool.",
        )
    yield from _judge_config(wanted, found)


def _judge_config(wanted: TopicSpec, found: FoundTopic) -> Iterator[Finding]:
    for name, value in wanted.config.items():
        actual = found.config.get(name)
        if actual is not None and not _suffices(name, actual, value):
            # Another retention may be what the operator wants; the rest breaks guarantees.
            level = Level.WARNING if name == "retention.ms" else Level.ERROR
            remedy = CHANGE.format(name=name, value=value)
            yield Finding(level, wanted.name, f"{name} is {actual}, not {value}", remedy)
    configured = found.config.get(IN_SYNC)
    if configured is None:
        return
    minimum = int(configured)
    if minimum > found.replication:
        yield Finding(
            Level.ERROR,
            wanted.name,
            f"{IN_SYNC} is {minimum}, but the replication factor is {found.replication}",
            CHANGE.format(name=IN_SYNC, value=max(1, found.replication - 1)),
        )
    elif minimum < MIN_IN_SYNC and found.replication >= MAX_REPLICATION:
        yield Finding(
            Level.WARNING,
            wanted.name,
            f"{IN_SYNC} is {minimum}: a message may be acknowledged that one broker alone has",
            CHANGE.format(name=IN_SYNC, value=MIN_IN_SYNC),
        )


def _suffices(name: str, actual: str, wanted: str) -> bool:
    if name == "max.message.bytes":
        return int(actual) >= int(wanted)
    if name == "cleanup.policy":
        return set(actual.split(",")) == set(wanted.split(","))
    return actual == wanted
