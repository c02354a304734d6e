"""Notifications of webhooks: what one costs deliver, and record.

``python -m bench.notifications``: 10 changes a second with ten webhooks each, put on the topic as
match does. A real Kafka, a worker of each agent, receivers that answer at once. ``--rate 0`` puts
all there before the workers are asked for their CPU. Linux only.
"""

import argparse
import asyncio
import os
import tempfile
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from itertools import count
from pathlib import Path
from time import monotonic
from typing import cast

from aiokafka import AIOKafkaProducer
from rich.console import Console

from bench.deployed import done, taken_up, waiting
from bench.measuring import commit, machine
from bench.race.usage import cpu, family
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

ON_THE_WAY = "deliver", "record"
PAGES = 100
TIMEOUT_S = 300.0
WORDS = "the giant with a hundred eyes guards the cow Io " * 4
DIFFS = tuple(
    Diff(event, "argus", "Argus", WORDS, change="edited", before=WORDS, after=f"Argus {WORDS}")
    for event in ("added", "removed", "added")
)


class Answering(asyncio.Protocol):
    """A receiver that accepts each POST as soon as it is complete."""

    def __init__(self) -> None:
        self._unread = b""

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        """Begin."""
        self._transport = cast("asyncio.WriteTransport", transport)

    def data_received(self, data: bytes) -> None:
        """Answer."""
        self._unread += data
        head, found, body = self._unread.partition(b"\r\n\r\n")
        if not found:
            return
        length = int(head.lower().partition(b"content-length: ")[2].partition(b"\r\n")[0])
        if len(body) >= length:
            self._unread = body[length:]
            self._transport.write(b"HTTP/1.1 204 No Content\r\n\r\n")


def _notification(number: int, page: int, client: str) -> Notification:
    return Notification(
        f"{number:032x}", f"{number:032x}", f"subscription-{page}", "m", Receiver(client), "ok",
        f"http://example.org/{page}", "text/html", DIFFS, truncated=False, at=1, rotation=0,
        rotated=0, watch=f"watch-{page}", test=False, title="Argus Panoptes",
    )  # fmt: skip


class Load:
    """Puts notifications on their topic."""

    def __init__(self, settings: Settings, port: int, options: argparse.Namespace) -> None:
        """Number the notifications of all rounds."""
        self._topic = settings.topic_prefix + NOTIFICATIONS.name
        self._options = options
        self._base = f"http://127.0.0.1:{port}"
        self._numbers = count()
        self._kafka = AIOKafkaProducer(bootstrap_servers=settings.kafka)

    @asynccontextmanager
    async def started(self) -> AsyncIterator["Load"]:
        """Connect."""
        async with self._kafka:
            yield self

    async def put(self, seconds: int) -> int:
        """Notify all webhooks of pages that change in turn; return how many notifications."""
        rate, receivers = self._options.rate, self._options.receivers
        changes = seconds * (rate or 100)
        begun = monotonic()
        for change in range(changes):
            if rate:
                await asyncio.sleep(max(0.0, begun + change / rate - monotonic()))
            for receiver in range(receivers):
                client = f"{self._base}/{change % PAGES}/{receiver}"
                each = _notification(next(self._numbers), change % PAGES, client)
                await self._kafka.send(self._topic, encode(each), key=client.encode())
        await self._kafka.flush()
        return int(changes * receivers)


async def run(deployment: Deployment, options: argparse.Namespace, out: Console) -> None:
    """Start the workers, and print what a notification of each round costs them."""
    settings, loop = deployment.settings, asyncio.get_running_loop()
    await create_topics(kafka_access(settings), topic_specs(settings))
    deployment.start(*ON_THE_WAY, is_apart=True)
    await until(lambda: all(taken_up(deployment[each]) for each in ON_THE_WAY), "ready", 60.0)
    pids = {each: family(deployment[each].pid) for each in ON_THE_WAY}
    server = await loop.create_server(Answering, "127.0.0.1", 0)
    port = server.sockets[0].getsockname()[1]
    async with (
        waiting(settings, "deliver") as deliver,
        waiting(settings, "record") as record,
        Load(settings, port, options).started() as load,
    ):
        for _ in range(options.repeats + 1):
            before = {each: cpu(pids[each]) for each in ON_THE_WAY}
            made = await load.put(options.seconds)
            await done(deliver, timeout_s=TIMEOUT_S)
            await done(record, timeout_s=TIMEOUT_S)
            spent = {each: (cpu(pids[each]) - before[each]) / made for each in ON_THE_WAY}
            shown = ", ".join(f"{each} {used * 1e3:.3f} ms" for each, used in spent.items())
            out.print(f"{made} notifications: {shown} of CPU each", highlight=False)
    server.close()


def main() -> None:
    """Measure and print; the first round warms up."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rate", type=int, default=10, help="changes a second, 0 for all at once")
    parser.add_argument("--receivers", type=int, default=10, help="webhooks of each page")
    parser.add_argument("--seconds", type=int, default=20, help="of each round")
    parser.add_argument("--repeats", type=int, default=2, help="rounds")
    options = parser.parse_args()
    out = Console(width=100)
    out.print(f"{commit()}, {machine()}, load {os.getloadavg()[0]:.1f}", highlight=False)
    with (
        tempfile.TemporaryDirectory() as folder,
        LocalBroker(Path(folder, "kafka"), 0) as broker,
        Deployment(broker.bootstrap, Path(folder, "data")) as deployment,
    ):
        asyncio.run(run(deployment, options, out))


if __name__ == "__main__":
    main()
