"""How long live receivers wait to be notified, with and without one that never answers.

Run by ``make bench-deliver``. A real Kafka, one worker of deliver, receivers on
loopback; runs with and without the dead one take turns.
"""

import asyncio
import tempfile
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from itertools import count
from pathlib import Path
from statistics import median, quantiles
from time import perf_counter

from aiohttp import web
from aiokafka import AIOKafkaProducer
from rich.console import Console
from rich.table import Table

from connectors.kafka.topics import create_topics
from infra.broker import LocalBroker
from schemas.codec.wire import encode
from schemas.records.changes import Diff
from schemas.records.notifications import Notification
from schemas.records.subscriptions import Receiver
from schemas.records.topics import NOTIFICATIONS
from streams.effects.connections import kafka_access
from streams.effects.topics import topic_specs
from streams.settings import Settings
from tests.harness.processes import Deployment
from tests.harness.waiting import until
from tests.harness.web import served

LIVE, DEAD = 99, "dead"
ROUNDS, PAIRS = 12, 10
PERIOD = 1.0
"""Seconds in which each receiver is notified once; evenly spread."""


class Receivers:
    """Answers every path but one, and notes when each notification arrives."""

    def __init__(self) -> None:
        self.sent: dict[str, float] = {}
        self.waited: dict[str, float] = {}
        self.held = 0

    async def answer(self, request: web.Request) -> web.Response:
        """Answer a POST; the dead one never does."""
        name = request.headers["webhook-id"]
        await request.read()
        if request.path == f"/{DEAD}":
            self.held += 1
            await asyncio.Event().wait()
        self.waited.setdefault(name, perf_counter() - self.sent[name])
        return web.Response(status=204)


def notification(name: str, client: str, page: int) -> Notification:
    """Return a notification of ordinary size."""
    diffs = (Diff("added", "argus", "Argus Panoptes", "... " + "giant " * 50),)
    url = f"http://example.org/{page}"
    return Notification(
        name,
        name,
        "s",
        "m",
        Receiver(client),
        "ok",
        url,
        "",
        diffs,
        False,
        1,
        0,
        0,
        "w",
        test=False,
    )


async def measure(
    producer: AIOKafkaProducer, settings: Settings, base: str, all_: Receivers, dead: bool
) -> list[float]:
    """Notify all for a while; return how long (s) each live receiver waited each time."""
    topic, live = settings.topic_prefix + NOTIFICATIONS.name, set()
    clients = [*(f"{base}/{number}" for number in range(LIVE)), *([f"{base}/{DEAD}"] * dead)]
    start, numbers = asyncio.get_running_loop().time(), count()
    for page in range(ROUNDS):
        for place, client in enumerate(clients):
            due = start + PERIOD * (page + place / len(clients))
            await asyncio.sleep(max(0, due - asyncio.get_running_loop().time()))
            name = f"{start}-{next(numbers)}"
            live |= set() if client.endswith(DEAD) else {name}
            all_.sent[name] = perf_counter()
            value = encode(notification(name, client, page))
            await producer.send(topic, value, key=client.encode())
    await until(lambda: live <= all_.waited.keys(), "all live receivers are notified")
    return [all_.waited[name] for name in live]


@asynccontextmanager
async def worker(folder: Path, bootstrap: str) -> AsyncIterator[Settings]:
    """Run one worker of deliver."""
    with Deployment(bootstrap, folder) as deployment:
        await create_topics(kafka_access(deployment.settings), topic_specs(deployment.settings))
        deployment.start("deliver")
        yield deployment.settings


async def run(folder: Path, bootstrap: str, out: Console) -> None:
    """Measure both in turn, and print each pair."""
    table = Table("pair", "p50 alone", "p50 with", "p99 alone", "p99 with", "with / alone")
    ratios, all_ = [], Receivers()
    async with (
        served(all_.answer) as urls,
        worker(folder, bootstrap) as settings,
        AIOKafkaProducer(bootstrap_servers=bootstrap, linger_ms=1) as producer,
    ):
        await measure(producer, settings, urls[0], all_, dead=False)  # warm up
        for pair in range(PAIRS):
            alone, with_dead = [
                await measure(producer, settings, urls[0], all_, dead) for dead in (False, True)
            ]
            (p50, p99), (p50_with, p99_with) = _percentiles(alone), _percentiles(with_dead)
            ratios.append(p99_with / p99)
            times = [f"{seconds * 1000:.1f} ms" for seconds in (p50, p50_with, p99, p99_with)]
            table.add_row(str(pair + 1), *times, f"{ratios[-1]:.2f}")
    out.print(table)
    out.print(f"The dead one held {all_.held} POSTs. Median of with / alone: {median(ratios):.2f}")


def _percentiles(waits: list[float]) -> tuple[float, float]:
    hundredths = quantiles(waits, n=100)
    return hundredths[49], hundredths[98]


def main() -> None:
    """Measure and print."""
    out = Console(width=100)
    out.print(f"{LIVE} live receivers, each notified every {PERIOD:g} s, {ROUNDS} times; 1 dead")
    with (
        tempfile.TemporaryDirectory() as folder,
        LocalBroker(Path(folder) / "kafka", 0) as broker,
    ):
        asyncio.run(run(Path(folder), broker.bootstrap, out))


if __name__ == "__main__":
    main()
