"""What benches of a stage's workers share: filled tables, ready workers, what waits."""

import logging
import re
from collections.abc import AsyncIterator, Awaitable, Callable, Iterable, Sequence
from contextlib import AsyncExitStack, asynccontextmanager
from functools import partial
from signal import Signals
from time import perf_counter, sleep

from aiokafka import AIOKafkaConsumer, AIOKafkaProducer
from aiokafka.admin import AIOKafkaAdminClient

from connectors.kafka.groups import describe, lag
from connectors.kafka.topics import create_topics
from schemas import versions, wire
from streams.pipeline import STAGES, topic_specs
from streams.settings import Settings
from streams.topics import changelog_topic, group_id, partition_of
from streams.wiring.connections import kafka_access
from tests.harness.processes import Deployment, Process
from tests.harness.waiting import eventually, until

READY = re.compile(r"\bready\b.*partitions=\[(\d[\d, ]*)\]")
PAUSE = 0.05
ASKED_EVERY = 0.2
"""Seconds between two questions to the broker, which take CPU from those who are measured."""
PATIENCE = 60.0

Behind = Callable[[], Awaitable[int]]
"""Counts the messages of a stage's topics that it has not committed."""


async def filled(
    settings: Settings, stage: str, table: str, rows: Iterable[tuple[str, bytes, versions.Record]]
) -> None:
    """Create the topics, and write the changelog of a table: URL, key and record of each row."""
    # A topic that has just been made has no leader yet, and it is tried again.
    logging.getLogger("aiokafka").setLevel(logging.CRITICAL)
    await create_topics(kafka_access(settings), topic_specs(settings))
    topic = changelog_topic(settings.topic_prefix, stage, table)
    place = partial(partition_of, count=settings.partitions)
    async with AIOKafkaProducer(bootstrap_servers=settings.kafka, linger_ms=20) as kafka:
        for url, key, record in rows:
            await kafka.send(topic, wire.encode(record), key=key, partition=place(url))


def started(deployment: Deployment, name: str, end: Signals | None = None) -> float:
    """Start a worker, after an ``end`` if given, and give the seconds until it is ready."""
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
    """Start workers of one stage, and wait until they have all partitions between them."""
    deployment.start(*names)
    every = list(range(deployment.settings.partitions))

    def shared() -> bool:
        last = [taken_up(deployment[name])[-1:] for name in names]
        return all(last) and sorted(n for (some,) in last for n in some) == every

    await until(shared, f"{len(names)} workers have all partitions", PATIENCE)


def taken_up(worker: Process) -> list[list[int]]:
    """Give the partitions that a worker was ready with, each time that it was."""
    found = READY.findall(worker.log.read_text("utf-8"))
    return [[int(number) for number in each.split(",")] for each in found]


@asynccontextmanager
async def waiting(settings: Settings, stage: str) -> AsyncIterator[Behind]:
    """Give what counts how far a stage is behind."""
    group = group_id(settings.topic_prefix, stage)
    topics = [settings.topic_prefix + topic.name for topic in STAGES[stage].reads]
    async with AsyncExitStack() as stack:
        admin = AIOKafkaAdminClient(**kafka_access(settings).client())
        stack.push_async_callback(admin.close)
        await admin.start()
        consumer = AIOKafkaConsumer(**kafka_access(settings).client(), group_id=None)
        await stack.enter_async_context(consumer)

        async def behind() -> int:
            found = await lag(consumer, await describe(admin, group), topics, settings.partitions)
            return sum(found.values())

        yield behind


async def done(behind: Behind, most: int = 0, patience: float = PATIENCE) -> None:
    """Wait until at most so many messages wait."""

    async def few() -> bool:
        return await behind() <= most

    await eventually(few, f"at most {most} messages wait", patience, ASKED_EVERY)
