"""One change that concerns all subscriptions of its document.

``python -m bench.fanout [SUBSCRIPTIONS]``: a worker of match on a real Kafka. How long
until all notifications are on the topic, what memory it takes, and how long another
document of the same partition waits meanwhile.
"""

import asyncio
import sys
import tempfile
from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from functools import partial
from pathlib import Path
from random import Random
from time import perf_counter

from aiokafka import AIOKafkaConsumer, AIOKafkaProducer
from rich.console import Console

from bench.deployed import filled, started
from bench.race.usage import Peak, family
from bench.workload import new_sentence, registered, subscription
from infra.broker import LocalBroker
from schemas.codec import wire
from schemas.records.changes import DocumentChanged
from schemas.records.notifications import Notification
from schemas.records.subscriptions import Receiver
from schemas.records.table_rows import Registration
from schemas.records.topics import CHANGES, NOTIFICATIONS
from streams.agents.match.register.requests import Target
from streams.settings import Settings
from streams.values.partitions import partition_of
from tests.harness.processes import Deployment
from tests.harness.waiting import until

SUBSCRIPTIONS = 100_000
CROWDED = "http://example.org/"
EVERY = 0.5
"""Seconds between two changes of the other document."""
TIMEOUT_S = 200.0
LARGE = 2**24


@dataclass
class Heard:
    """Notifications that arrived, and how long those of the other document took (s)."""

    sent: dict[str, float] = field(default_factory=dict)
    crowd: set[str] = field(default_factory=set)
    waits: list[float] = field(default_factory=list)

    def take(self, value: bytes) -> None:
        """Note one."""
        notified = wire.decode(value, Notification)
        if notified.url == CROWDED:
            self.crowd.add(notified.id)
        elif notified.change in self.sent:
            self.waits.append(perf_counter() - self.sent.pop(notified.change))


def same_partition(settings: Settings) -> str:
    """Return another document in the same partition."""
    place = partial(partition_of, count=settings.partitions)
    urls = (f"http://example.org/{number}" for number in range(1000))
    return next(url for url in urls if place(url) == place(CROWDED))


def rows(count: int, other: str) -> Iterator[tuple[str, bytes, Registration]]:
    """Yield URL, key and row of each subscription."""
    chance = Random(1)  # noqa: S311 - to be repeated, not to be secret
    for number in range(count + 1):
        url = CROWDED if number < count else other
        kept = subscription(number, "argus", chance)
        kept = replace(
            kept, url=url, document_url=url, receiver=Receiver(f"http://client.test/{number}")
        )
        yield url, Target("", url, kept.receiver).key, registered(kept)


def change(url: str, number: int) -> DocumentChanged:
    """Return a change that matches every subscription."""
    regions = (new_sentence("argus wakes"),)
    return DocumentChanged(f"{url} {number}", url, "w", number, 0, "text/html", "en", regions, 1)


async def measure(deployment: Deployment, kafka: AIOKafkaProducer, count: int) -> None:
    """Change the crowded document once, the other one again and again."""
    settings, heard = deployment.settings, Heard()
    consumer = AIOKafkaConsumer(
        settings.topic_prefix + NOTIFICATIONS.name, bootstrap_servers=settings.kafka,
        auto_offset_reset="earliest", max_partition_fetch_bytes=LARGE,
    )  # fmt: skip
    async with consumer:

        async def hear() -> None:
            async for record in consumer:
                heard.take(record.value)

        async def disturb() -> None:
            for number in range(1000):
                event = change(same_partition(settings), number)
                heard.sent[event.id] = perf_counter()
                await send(kafka, settings, event)
                await asyncio.sleep(EVERY)

        tasks = [asyncio.create_task(hear()), asyncio.create_task(disturb())]
        await until(lambda: len(heard.waits) >= 5, "the other document's notifications arrive")
        alone, pid = max(heard.waits), deployment["match"].pid
        heard.waits.clear()
        with Peak(lambda: family(pid)) as peak:
            await asyncio.sleep(1)
            before, begun = peak.memory, perf_counter()
            await send(kafka, settings, change(CROWDED, 1))
            await until(lambda: len(heard.crowd) >= count, "all are notified", TIMEOUT_S)
            wall = perf_counter() - begun
        await until(lambda: not heard.sent or len(heard.waits) > wall, "the rest is notified")
        for task in tasks:
            task.cancel()
    Console().print(
        f"{len(heard.crowd):,} of {count:,} notifications on the topic after {wall:.1f} s; "
        f"memory {before / 1e6:.0f} MB, at most {(peak.memory - before) / 1e6:.0f} MB more; "
        f"another document of that partition waits {max(heard.waits):.2f} s at most "
        f"(alone {alone:.2f} s)"
    )


async def send(kafka: AIOKafkaProducer, settings: Settings, event: DocumentChanged) -> None:
    """Put a change on its topic."""
    topic = settings.topic_prefix + CHANGES.name
    await kafka.send(topic, wire.encode(event), key=event.url.encode())


async def run(deployment: Deployment, count: int) -> None:
    """Set all up."""
    settings = deployment.settings
    await filled(settings, "match", "subscriptions", rows(count, same_partition(settings)))
    async with AIOKafkaProducer(bootstrap_servers=settings.kafka, linger_ms=5) as kafka:
        await asyncio.to_thread(started, deployment, "match")
        await measure(deployment, kafka, count)


def main() -> None:
    """Measure and print."""
    count = int(sys.argv[1]) if len(sys.argv) > 1 else SUBSCRIPTIONS
    with (
        tempfile.TemporaryDirectory() as folder,
        LocalBroker(Path(folder, "kafka"), 0) as broker,
        Deployment(broker.bootstrap, Path(folder, "data")) as deployment,
    ):
        asyncio.run(run(deployment, count))


if __name__ == "__main__":
    main()
