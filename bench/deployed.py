"""What benches of an agent's workers share: filled tables, ready workers, lag."""

import logging
import re
from collections.abc import AsyncIterator, Awaitable, Callable, Iterable, Sequence
from contextlib import AsyncExitStack, asynccontextmanager
from functools import partial
from signal import Signals
from time import perf_counter, sleep

from aiokafka import AIOKafkaConsumer, AIOKafkaProducer

from connectors.kafka.admin import admin_client
from connectors.kafka.groups import describe_group, group_lag
from connectors.kafka.topics import create_topics
from schemas.codec import versions, wire
from streams.app import AGENTS
from streams.effects.connections import kafka_access
from streams.effects.topics import topic_specs
from streams.settings import Settings
from streams.values.agent import changelog_topic, group_id
from streams.values.partitions import partition_of
from tests.harness.processes import Deployment, Process
from tests.harness.waiting import eventually, until

READY = re.compile(r"\bready\b.*partitions=\[(\d[\d, ]*)\]")
PAUSE = 0.05
ASKED_EVERY = 0.2
"""Seconds between two requests to the broker, which take CPU from what is measured."""
TIMEOUT_S = 60.0

Behind = Callable[[], Awaitable[int]]
"""Counts the messages of an agent's topics that it has not committed."""


async def filled(
    settings: Settings, agent: str, table: str, rows: Iterable[tuple[str, bytes, versions.Record]]
) -> None:
    """Create the topics, and write the changelog of a table: URL, key and record of each row."""
    # A new topic has no leader yet, so the client retries and logs that.
    logging.getLogger("aiokafka").setLevel(logging.CRITICAL)
    await create_topics(kafka_access(settings), topic_specs(settings))
    topic = changelog_topic(settings.topic_prefix, agent, table)
    place = partial(partition_of, count=settings.partitions)
    async with AIOKafkaProducer(bootstrap_servers=settings.kafka, linger_ms=20) as kafka:
        for url, key, record in rows:
            await kafka.send(topic, wire.encode(record), key=key, partition=place(url))


def started(deployment: Deployment, name: str, end: Signals | None = None) -> float:
    """Start a worker, after an ``end`` signal if given; return the seconds until it is ready."""
    if end is not None:
        deployment[name].send(end)
    known = len(taken_up(deployment[name])) if end else 0
    begun = perf_counter()
    deployment.start(name)
    while len(taken_up(deployment[name])) <= known:
        assert deployment[name].is_running, "the worker ended; its log says why"
        sleep(PAUSE)
    return perf_counter() - begun


async def divided(deployment: Deployment, names: Sequence[str]) -> None:
    """Start workers of one agent, and wait until together they have all partitions."""
    deployment.start(*names)
    every = list(range(deployment.settings.partitions))

    def shared() -> bool:
        last = [taken_up(deployment[name])[-1:] for name in names]
        return all(last) and sorted(n for (some,) in last for n in some) == every

    await until(shared, f"{len(names)} workers have all partitions", TIMEOUT_S)


def taken_up(worker: Process) -> list[list[int]]:
    """Return the partitions that a worker was assigned, for each time that it became ready."""
    found = READY.findall(worker.log.read_text("utf-8"))
    return [[int(number) for number in each.split(",")] for each in found]


@asynccontextmanager
async def waiting(settings: Settings, agent: str) -> AsyncIterator[Behind]:
    """Yield a function that returns an agent's lag."""
    group = group_id(settings.topic_prefix, agent)
    topics = [settings.topic_prefix + topic.name for topic in AGENTS[agent].reads]
    async with AsyncExitStack() as stack:
        admin = await stack.enter_async_context(admin_client(kafka_access(settings)))
        consumer = AIOKafkaConsumer(**kafka_access(settings).client(), group_id=None)
        await stack.enter_async_context(consumer)

        async def behind() -> int:
            found = await group_lag(
                consumer, await describe_group(admin, group), topics, settings.partitions
            )
            return sum(found.values())

        yield behind


async def done(behind: Behind, most: int = 0, timeout_s: float = TIMEOUT_S) -> None:
    """Wait until the lag is at most so many messages."""

    async def few() -> bool:
        return await behind() <= most

    await eventually(few, f"at most {most} messages wait", timeout_s, ASKED_EVERY)
