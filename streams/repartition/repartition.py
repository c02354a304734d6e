"""All steps of an addition of partitions, each of which may be done again."""

from collections import defaultdict
from collections.abc import Callable, Mapping
from contextlib import AsyncExitStack
from dataclasses import dataclass, replace

from aiokafka import AIOKafkaConsumer, AIOKafkaProducer
from aiokafka.admin import AIOKafkaAdminClient

from connectors.kafka.access import Access
from connectors.kafka.admin import admin_client
from connectors.kafka.groups import all_partitions
from connectors.kafka.partitioning import publish_partitioned
from connectors.kafka.reading import groupless_consumer
from connectors.kafka.writing import large_message_producer
from connectors.registry.codec import Codec
from schemas.records.claims import Partitioned
from schemas.records.topics import DEPLOYMENT, NOTIFICATIONS, SUBSCRIPTION_REQUESTS, TOPICS
from streams.app import AGENTS
from streams.repartition.growing import grow_topics
from streams.repartition.growth import Growth
from streams.repartition.messages import MessageMover, commit_positions
from streams.repartition.positions import Offsets
from streams.repartition.stopping import await_stopped, committed_offsets, topics_of
from streams.repartition.tables import move_table
from streams.values.agent import changelog_topic, group_id
from streams.values.partitions import partition_of

Say = Callable[[str], None]


@dataclass(frozen=True, slots=True)
class Brokers:
    """The clients of all steps, and the prefix of all topics and groups."""

    access: Access
    prefix: str
    codec: Codec
    admin: AIOKafkaAdminClient
    consumer: AIOKafkaConsumer
    producer: AIOKafkaProducer

    async def publish(self, state: Partitioned) -> None:
        """Let all processes know how far the addition is."""
        await publish_partitioned(self.access, self.prefix + DEPLOYMENT.name, state)


async def repartition(
    access: Access, prefix: str, codec: Codec, state: Partitioned, say: Say
) -> None:
    """Begin or continue an addition of partitions until done.

    Raises StillRunning and KafkaError; the same call continues after both.
    """
    async with AsyncExitStack() as stack:
        admin = await stack.enter_async_context(admin_client(access))
        consumer = await stack.enter_async_context(groupless_consumer(access))
        producer = await stack.enter_async_context(large_message_producer(access))
        brokers = Brokers(access, prefix, codec, admin, consumer, producer)
        if not state.committed:
            await brokers.publish(state)
        # Nothing else is changed before it is noted how far the workers came.
        await await_stopped(admin, prefix, say)
        if not state.committed:
            found = await committed_offsets(admin, consumer, prefix, state.former)
            state = replace(state, committed=found)
            await brokers.publish(state)
        await _moved(brokers, state, say)
        await brokers.publish(replace(state, committed=(), is_done=True))


async def _moved(brokers: Brokers, state: Partitioned, say: Say) -> None:
    growth = Growth(state.former, state.partitions, partition_of)
    committed = topics_of(state.committed)
    names = [brokers.prefix + topic.name for topic in TOPICS if topic is not SUBSCRIPTION_REQUESTS]
    tables = [
        (agent.name, table.name, changelog_topic(brokers.prefix, agent.name, table.name))
        for agent in AGENTS.values()
        for table in agent.tables
    ]
    say(f"Adding partitions to {len(names) + 1} topics and {len(tables)} changelogs")
    await grow_topics(brokers.admin, [*names, *(name for *_, name in tables)], state.partitions)
    # Before any is copied: later attempts find no row any more of which this decides.
    notifications = all_partitions([brokers.prefix + NOTIFICATIONS.name], state.former)
    found = await brokers.consumer.end_offsets(notifications)
    ends = tuple(found[each] for each in notifications)
    for agent, table, changelog in tables:
        done = committed[NOTIFICATIONS.name].get(agent, ())
        count = await move_table(
            brokers.access, brokers.producer, changelog, table, growth, done, ends
        )
        say(f"  {agent} {table}: rows moved: {count}")
    await _move_messages(brokers, state, growth, committed, say)


async def _move_messages(
    brokers: Brokers,
    state: Partitioned,
    growth: Growth,
    committed: Mapping[str, Mapping[str, Offsets]],
    say: Say,
) -> None:
    mover = MessageMover(brokers.access, brokers.producer, brokers.codec, growth, state.begun)
    begins: defaultdict[str, dict[str, Offsets]] = defaultdict(dict)
    # Requests last: anybody may send some meanwhile, and their order is by partition.
    for topic in sorted(TOPICS, key=lambda each: each is SUBSCRIPTION_REQUESTS):
        if topic.name not in committed:
            continue
        name = brokers.prefix + topic.name
        await grow_topics(brokers.admin, [name], state.partitions)
        found, count = await mover.move(topic, name, committed[topic.name])
        for agent, offsets in found.items():
            begins[agent][name] = offsets
        if count:
            say(f"  {topic.name}: waiting messages copied: {count}")
    for agent, positions in begins.items():
        await commit_positions(brokers.access, group_id(brokers.prefix, agent), positions)
