"""Checks all needs of a deployment, in sequence."""

import asyncio
from collections.abc import AsyncGenerator, AsyncIterator, Mapping
from time import monotonic

from aiokafka import AIOKafkaConsumer
from aiokafka.admin import AIOKafkaAdminClient
from aiokafka.errors import KafkaError

from connectors.kafka.admin import admin_client
from connectors.kafka.groups import all_partitions, describe_group, group_lag
from connectors.kafka.inspection import FoundTopic, found_topics, newest_time
from connectors.kafka.partitioning import partitioned
from connectors.kafka.reading import groupless_consumer
from connectors.kafka.topics import wanted_replicas
from schemas.records.topics import DEAD_LETTERS, DEPLOYMENT
from streams.app import AGENTS, NEEDED_AGENTS, TICKER
from streams.cli.checks.clock import check_clock
from streams.cli.checks.connecting import (
    check_claims,
    check_documents,
    check_model,
    check_registry,
    check_settings,
    check_transactions,
)
from streams.cli.checks.finding import Finding, Level, failed_check
from streams.cli.checks.judgement import (
    judge_agent,
    judge_dead_letters,
    judge_missing,
    judge_repartition,
)
from streams.cli.checks.topics import judge_topics
from streams.effects.clock import now
from streams.effects.connections import kafka_access
from streams.effects.topics import topic_specs
from streams.settings import Settings
from streams.values.agent import changelog_topic, group_id

CLUSTER_TIMEOUT_S = 20.0


async def all_findings(settings: Settings) -> AsyncGenerator[Finding, None]:
    """Check settings, model, registry, broker, topics, store, clock, agents and documents."""
    for finding in (*check_settings(settings), *await check_model(settings)):
        yield finding
    if settings.schema_registry_url is not None:
        yield await check_registry(settings, settings.schema_registry_url.get_secret_value())
    try:
        access = kafka_access(settings)
        async with (
            asyncio.timeout(CLUSTER_TIMEOUT_S),
            admin_client(access) as admin,
            groupless_consumer(access, isolation_level="read_uncommitted") as consumer,
        ):
            known = await partitioned(access, settings.topic_prefix + DEPLOYMENT.name)
            if known is not None:
                settings = settings.model_copy(update={"partitions": known.partitions})
                for finding in judge_repartition(known):
                    yield finding
                if not known.is_done:  # topics have either number, and no worker runs
                    return
            async for finding in _cluster(settings, admin, consumer):
                yield finding
    except (KafkaError, OSError) as error:
        remedy = (
            f"Is Kafka running at {settings.kafka}? "
            "If it requires TLS or a password, set VOKTER_KAFKA_SECURITY."
        )
        yield failed_check("broker", error, remedy)


async def _cluster(
    settings: Settings, admin: AIOKafkaAdminClient, consumer: AIOKafkaConsumer
) -> AsyncIterator[Finding]:
    begun = monotonic()
    brokers = len((await admin.describe_cluster())["brokers"])
    took = (monotonic() - begun) * 1000
    text = f"{settings.kafka} answered in {took:.0f} ms; brokers in the cluster: {brokers}"
    yield Finding(Level.OK, "broker", text)
    wanted = topic_specs(settings)
    found = await found_topics(admin, [topic.name for topic in wanted])
    replicas = await wanted_replicas(admin, settings.replication)
    inputs = _whole_inputs(settings, found)
    held_up = await check_transactions(consumer, inputs, settings.partitions)
    for finding in (*judge_topics(wanted, found, replicas), *held_up):
        yield finding
    claims_topic = settings.topic_prefix + DEPLOYMENT.name
    for finding in await check_claims(settings, claims_topic if claims_topic in found else None):
        yield finding
    watches = changelog_topic(settings.topic_prefix, TICKER.name, "watches")
    for finding in await check_clock(consumer, watches, found.get(watches), now()):
        yield finding
    letters = settings.topic_prefix + DEAD_LETTERS.name
    if letters in found:
        newest = await newest_time(consumer, letters, found[letters].partitions)
        yield judge_dead_letters(newest, now())
    for name, agent in AGENTS.items():
        group = await describe_group(admin, group_id(settings.topic_prefix, name))
        reads = [settings.topic_prefix + topic.name for topic in agent.reads]
        if name not in NEEDED_AGENTS and not group.members:
            lag = await group_lag(consumer, group, reads, settings.partitions)
            yield judge_missing(name, sum(lag.values()))
        else:
            yield judge_agent(name, group, frozenset(all_partitions(reads, settings.partitions)))
    for finding in await check_documents(settings, now()):
        yield finding


def _whole_inputs(settings: Settings, found: Mapping[str, FoundTopic]) -> list[str]:
    """Return the topics of agents with all their partitions."""
    reads = {settings.topic_prefix + each.name for agent in AGENTS.values() for each in agent.reads}
    return [
        name
        for name in sorted(reads & found.keys())
        if found[name].partitions == settings.partitions and not found[name].leaderless
    ]
