"""THE MAP: the stages and the API, the topics between them, and each topic's settings.

    REST API ─► subscription-requests ─► match ─► subscriptions ─► schedule ─► fetches ─► fetch
                     ⟲      ▲             │ ▲                                               │
                            │             │ └────────────────── changes ◄───────────────────┘
                            │             └─► notifications ─► deliver ─► deliveries
                            └─── Expire ──────────────────────────┘ attempts ⟲ challenges ⟲

Match lets ``crawl`` know by ``crawls`` of subscriptions that crawl, and of the links of their
pages; it asks at ``subscription-requests`` for the pages that these lead to.

Pages that need scripts go to ``renders`` instead of ``fetches``, and ``render`` to ``changes``.

Subscriptions for several pages are matched by ``percolate``: match sends it each of them, and
the changes of pages that their managers watch, through ``percolations``, by the partition of a
word; ``interests`` say which changes those are.

A webhook and a channel get their notifications from ``deliver``; a session reads them from the
topic.
Fetch keeps snapshots in the store; record copies the facts there for the API's listings. What a
client wants to be notified of afterwards, match lets ``history`` find there, by
``history-requests``. ``vokter reprocess`` puts pages there, too, which ``history`` reads again: the
results are on ``reprocessed``.

``streams.values.topics`` has the records of each topic, ``streams.effects`` what each process is
built of.
"""

from dataclasses import dataclass

from connectors.kafka.access import MAX_MESSAGE_BYTES
from connectors.kafka.topics import TopicSpec
from streams.settings import Settings
from streams.values.topics import (
    ATTEMPTS,
    CHALLENGES,
    CHANGES,
    CRAWLS,
    DELIVERIES,
    FETCHES,
    HISTORY_REQUESTS,
    INTERESTS,
    NOTIFICATIONS,
    PERCOLATIONS,
    RENDERS,
    REPROCESSED,
    SUBSCRIPTION_REQUESTS,
    SUBSCRIPTIONS,
    TOPICS,
    Topic,
    changelog_topic,
)


@dataclass(frozen=True, slots=True)
class Process:
    """What a process reads and writes; a stage may also have tables, each with a changelog.

    Besides these every stage writes dead-letters, and every process reads deployment.
    """

    name: str
    reads: tuple[Topic, ...]
    writes: tuple[Topic, ...]
    tables: tuple[str, ...] = ()


API = Process("api", (SUBSCRIPTIONS, NOTIFICATIONS), (SUBSCRIPTION_REQUESTS, ATTEMPTS))
SCHEDULE = Process("schedule", (SUBSCRIPTIONS,), (FETCHES, RENDERS), ("watches",))
FETCH = Process("fetch", (FETCHES,), (CHANGES,))
RENDER = Process("render", (RENDERS,), (CHANGES,))
MATCH = Process(
    "match",
    reads=(SUBSCRIPTION_REQUESTS, CHANGES, INTERESTS),
    writes=(
        *(SUBSCRIPTIONS, NOTIFICATIONS, SUBSCRIPTION_REQUESTS),
        *(PERCOLATIONS, HISTORY_REQUESTS, CRAWLS),
    ),
    tables=("subscriptions",),
)
PERCOLATE = Process("percolate", (PERCOLATIONS,), (NOTIFICATIONS, INTERESTS), ("queries",))
DELIVER = Process(
    "deliver",
    reads=(NOTIFICATIONS, ATTEMPTS, CHALLENGES),
    writes=(DELIVERIES, ATTEMPTS, CHALLENGES, SUBSCRIPTION_REQUESTS),
    tables=("delivered", "outbox", "receivers", "grants"),
)
HISTORY = Process("history", (HISTORY_REQUESTS,), (NOTIFICATIONS, REPROCESSED))
CRAWL = Process("crawl", (CRAWLS,), (SUBSCRIPTION_REQUESTS,), ("pages",))
RECORD = Process("record", (SUBSCRIPTIONS, CHANGES, NOTIFICATIONS, DELIVERIES), ())

_EVERY = SCHEDULE, FETCH, RENDER, MATCH, PERCOLATE, DELIVER, HISTORY, RECORD, CRAWL
STAGES = {stage.name: stage for stage in _EVERY}
"""The processes that are Kafka consumer groups: all but the API. They always run."""
NEEDED_STAGES = {name: stage for name, stage in STAGES.items() if stage is not RENDER}
"""The stages without which no deployment works; pages that need scripts need a browser too."""
REDELIVERY = 5 * 24 * 3600
"""Seconds for which a notification can still be redelivered after its topic has deleted it."""

GRANTS_KEPT = 2 * 3600
"""Seconds for which granted challenges are kept; they count for an hour."""


def reported_elsewhere(stage: Process) -> tuple[Topic, ...]:
    """Return the inputs of a stage of which another one reports what cannot be read.

    What one stage cannot read, no other can. The first that reads a topic reports it.
    """
    first = {topic: each for each in reversed(STAGES.values()) for topic in each.reads}
    return tuple(topic for topic in stage.reads if first[topic] is not stage)


def topic_specs(settings: Settings) -> list[TopicSpec]:
    """Return every topic and changelog, which must exist before any stage starts."""
    count, prefix = settings.partitions, settings.topic_prefix
    specs = [TopicSpec(prefix + topic.name, count, _config(topic, settings)) for topic in TOPICS]
    for stage in STAGES.values():
        for table in stage.tables:
            name = changelog_topic(prefix, stage.name, table)
            specs.append(TopicSpec(name, count, _changelog_config(row_ttl(table, settings))))
    return specs


def row_ttl(table: str, settings: Settings) -> int | None:
    """Return the seconds after which a table's rows expire, None if they never do."""
    if table == "grants":
        return GRANTS_KEPT
    return settings.retention_ms // 1000 + REDELIVERY if table == "delivered" else None


def _config(topic: Topic, settings: Settings) -> dict[str, str]:
    if topic.keeps_last:
        return {"cleanup.policy": "compact"}
    config = {"retention.ms": str(settings.retention_ms)}
    if topic.large:
        config["max.message.bytes"] = str(MAX_MESSAGE_BYTES)
    if topic.open_to_all:
        config["message.timestamp.type"] = "LogAppendTime"
    return config


def _changelog_config(ttl: int | None) -> dict[str, str]:
    if ttl is None:
        # The broker's times: ``vokter doctor`` compares them with those in schedule's rows.
        return {"cleanup.policy": "compact", "message.timestamp.type": "LogAppendTime"}
    return {"cleanup.policy": "compact,delete", "retention.ms": str(ttl * 1000)}
