"""How long a match worker takes from its start to its first event.

``python -m bench.recovery [SUBSCRIPTIONS]``: on an empty disk, after a clean stop
on its own data, and after a kill; for many documents, and all for one.
"""

import asyncio
import random
import re
import signal
import sys
import tempfile
from collections.abc import Iterator
from functools import partial
from pathlib import Path
from time import perf_counter, sleep

from aiokafka import AIOKafkaProducer
from rich.console import Console
from rich.table import Table

from bench.workload import subscription, telling, vocabulary
from connectors.kafka.topics import create_topics
from infra.broker import LocalBroker
from schemas import wire
from schemas.facts import Subscription
from schemas.state import Answer, Applied, Registration
from streams.core.register import row_key
from streams.core.requests import Target
from streams.engine.worker import changelog_topic
from streams.pipeline import topic_specs
from streams.settings import Settings
from streams.topics import partition_of
from tests.harness.processes import Deployment

SUBSCRIPTIONS = 100_000
PER_DOCUMENT = 5
READY = re.compile(r"\bready\b.*partitions=\[\d")
PAUSE = 0.05
STARTS = (
    ("on an empty disk", None),
    ("on its data, stopped", signal.SIGTERM),
    ("on its data, killed", signal.SIGKILL),
)


def main() -> None:
    """Measure and print."""
    count = int(sys.argv[1]) if len(sys.argv) > 1 else SUBSCRIPTIONS
    table = Table("documents", *(name for name, _ in STARTS), title=f"{count:,} subscriptions, s")
    with tempfile.TemporaryDirectory() as folder, LocalBroker(Path(folder, "kafka"), 0) as broker:
        for number, documents in enumerate((count // PER_DOCUMENT, 1)):
            home = Path(folder, str(number))
            with Deployment(broker.bootstrap, home) as deployment:
                asyncio.run(fill(deployment.settings, count, documents))
                row = [f"{started(deployment, end):.1f}" for _, end in STARTS]
            table.add_row(f"{documents:,}", *row)
    Console().print(table)


async def fill(settings: Settings, count: int, documents: int) -> None:
    """Write the changelog of so many subscriptions."""
    await create_topics(settings.access, topic_specs(settings))
    topic = changelog_topic(settings.topic_prefix, "match", "subscriptions")
    place = partial(partition_of, count=settings.partitions)
    async with AIOKafkaProducer(bootstrap_servers=settings.kafka, linger_ms=20) as kafka:
        for url, key, row in rows(count, documents):
            await kafka.send(topic, row, key=key, partition=place(url))


def rows(count: int, documents: int) -> Iterator[tuple[str, bytes, bytes]]:
    """Give URL, key and value of each row."""
    chance = random.Random(1)  # noqa: S311 - to be repeated, not to be secret
    words = vocabulary(chance)
    for number in range(count):
        url = f"http://example.org/{number % documents}"
        kept = subscription(number, telling(words, chance), chance)
        yield url, row_key(Target("", url, kept.client_url, None)), wire.encode(registered(kept))


def registered(kept: Subscription) -> Registration:
    """Give the row of a subscription as the register writes it."""
    answer = Answer(kept.id, "Subscribe", 0, kept.id)
    return Registration(kept, (Applied(0, 1),), (answer,), kept.created)


def started(deployment: Deployment, end: signal.Signals | None) -> float:
    """Start the worker, after an ``end`` if given, and give the seconds until it is ready."""
    if end is not None:
        deployment["match"].send(end)
    known = times_ready(deployment) if end else 0
    begun = perf_counter()
    deployment.start("match")
    while times_ready(deployment) <= known:
        assert deployment["match"].is_running, "the worker ended; its log says why"
        sleep(PAUSE)
    return perf_counter() - begun


def times_ready(deployment: Deployment) -> int:
    """Count how often the worker has said that it is ready with partitions."""
    return len(READY.findall(deployment["match"].log.read_text("utf-8")))


if __name__ == "__main__":
    main()
