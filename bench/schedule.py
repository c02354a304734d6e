"""One worker of schedule with very many watches: what it takes to hold and to tick them.

``python -m bench.schedule [WATCHES]``: a million, of which a thousand fall due every
second, in a worker on a real Kafka.
"""

import asyncio
import re
import sys
import tempfile
from functools import partial
from pathlib import Path
from time import perf_counter, sleep

from aiokafka import AIOKafkaConsumer, AIOKafkaProducer
from rich.console import Console

from bench.race.usage import cpu, family, memory
from connectors.kafka.topics import create_topics
from infra.broker import LocalBroker
from schemas import wire
from schemas.facts import FetchDue, Watch
from schemas.state import Scheduled
from streams.engine.worker import changelog_topic
from streams.pipeline import now, topic_specs
from streams.settings import Settings
from streams.topics import FETCHES, partition_of
from tests.harness.processes import Deployment

WATCHES, INTERVAL = 1_000_000, 1_000
SETTLED, SECONDS = 30.0, 30.0
READY = re.compile(r"\bready\b.*partitions=\[\d")
LARGE = 2**24


async def fill(settings: Settings, count: int) -> None:
    """Write the changelog of so many watches."""
    await create_topics(settings.access, topic_specs(settings))
    topic = changelog_topic(settings.topic_prefix, "schedule", "watches")
    place, since = partial(partition_of, count=settings.partitions), now()
    async with AIOKafkaProducer(bootstrap_servers=settings.kafka, linger_ms=20) as kafka:
        for number in range(count):
            url = f"http://host-{number % 10_000}.test/page/{number}"
            row = wire.encode(Scheduled(url, Watch(f"{number:032x}", INTERVAL, None), since))
            await kafka.send(topic, row, key=url.encode(), partition=place(url))


async def commanded(settings: Settings, seconds: float) -> int:
    """Count the URLs that are commanded to be fetched in a while."""
    topic, found = settings.topic_prefix + FETCHES.name, 0
    consumer = AIOKafkaConsumer(
        topic, bootstrap_servers=settings.kafka, max_partition_fetch_bytes=LARGE
    )
    async with consumer:
        end = asyncio.get_running_loop().time() + seconds
        while (left := end - asyncio.get_running_loop().time()) > 0:
            for records in (await consumer.getmany(timeout_ms=int(left * 1000))).values():
                facts = (wire.decode(record.value, FetchDue) for record in records)
                found += sum(len(fact.due) for fact in facts)
    return found


def ready(deployment: Deployment) -> float:
    """Start the worker and give the seconds until it is ready."""
    begun = perf_counter()
    deployment.start("schedule")
    while not READY.search(deployment["schedule"].log.read_text("utf-8")):
        assert deployment["schedule"].is_running, "the worker ended; its log says why"
        sleep(0.1)
    return perf_counter() - begun


def main() -> None:
    """Measure and print."""
    count = int(sys.argv[1]) if len(sys.argv) > 1 else WATCHES
    with (
        tempfile.TemporaryDirectory() as folder,
        LocalBroker(Path(folder, "kafka"), 0) as broker,
        Deployment(broker.bootstrap, Path(folder, "data")) as deployment,
    ):
        asyncio.run(fill(deployment.settings, count))
        start = ready(deployment)
        sleep(SETTLED)
        pids = family(deployment["schedule"].pid)
        before = cpu(pids)
        due = asyncio.run(commanded(deployment.settings, SECONDS))
        share = (cpu(pids) - before) / SECONDS
        Console().print(
            f"{count:,} watches: ready after {start:.1f} s, {memory(pids) / 1e6:.0f} MB; "
            f"{due / SECONDS:,.0f} due a second take {share:.1%} of a core"
        )


if __name__ == "__main__":
    main()
