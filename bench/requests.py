"""Requests by topic: how many one worker of match takes.

``python -m bench.requests [json] [avro] [anywhere]``: subscriptions of different pages, with the
URL as key or, ``anywhere``, without a key, so that most are forwarded to their partition. A
real Kafka; they are sent before the worker is asked for its CPU, in rounds. Linux only.
"""

import argparse
import asyncio
import json
import os
import tempfile
from collections.abc import Callable
from pathlib import Path
from statistics import median
from time import monotonic

from aiokafka import AIOKafkaProducer
from rich.console import Console
from rich.table import Table

from bench.deployed import Behind, divided, done, waiting
from bench.measuring import commit, machine
from bench.race.usage import cpu, family
from connectors.kafka.topics import create_topics
from infra.broker import LocalBroker
from schemas.codec import wire
from schemas.records.requests import Subscribe
from schemas.records.subscriptions import Receiver
from schemas.records.topics import SUBSCRIPTION_REQUESTS
from streams.effects.connections import kafka_access
from streams.effects.topics import topic_specs
from tests.harness.processes import Deployment

AGENT = "match"
HOOK = "http://client.test/hook"
TIMEOUT_S = 300.0

Message = tuple[bytes | None, bytes]
"""Key and value."""


def _json(url: str) -> Message:
    request = {"documentUrl": url, "clientUrl": HOOK, "keywords": ["argus"]}
    return url.encode(), json.dumps(request).encode()


def _avro(url: str) -> Message:
    return url.encode(), wire.encode(Subscribe(url, Receiver(HOOK), keywords=("argus",)))


def _anywhere(url: str) -> Message:
    return None, _json(url)[1]


KINDS: dict[str, Callable[[str], Message]] = {"json": _json, "avro": _avro, "anywhere": _anywhere}


async def measure(
    deployment: Deployment, kind: str, options: argparse.Namespace, behind: Behind
) -> list[tuple[float, float]]:
    """Return CPU and wall seconds of each round; the first, which warms up, is left out."""
    topic = deployment.settings.topic_prefix + SUBSCRIPTION_REQUESTS.name
    pid, found = deployment[AGENT].pid, []
    async with AIOKafkaProducer(bootstrap_servers=deployment.settings.kafka, linger_ms=5) as kafka:
        for each in range(options.repeats + 1):
            urls = (f"http://example.org/{kind}/{each}/{n}" for n in range(options.requests))
            messages = [KINDS[kind](url) for url in urls]
            before, begun = cpu(family(pid)), monotonic()
            for key, value in messages:
                await kafka.send(topic, value, key=key)
            await kafka.flush()
            await done(behind, timeout_s=TIMEOUT_S)
            found.append((cpu(family(pid)) - before, monotonic() - begun))
    return found[1:]


async def run(deployment: Deployment, options: argparse.Namespace, table: Table) -> None:
    """Start the worker, and measure each kind."""
    settings = deployment.settings
    await create_topics(kafka_access(settings), topic_specs(settings))
    await divided(deployment, [AGENT])
    async with waiting(settings, AGENT) as behind:
        for kind in options.kind:
            rounds = await measure(deployment, kind, options, behind)
            spent = median(used for used, _ in rounds) / options.requests
            wall = median(took for _, took in rounds) / options.requests
            table.add_row(kind, f"{spent * 1e3:.3f}", f"{1 / spent:,.0f}", f"{1 / wall:,.0f}")


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("kind", nargs="*", choices=list(KINDS), default=list(KINDS))
    parser.add_argument("--requests", type=int, default=10_000, help="of each round")
    parser.add_argument("--repeats", type=int, default=3, help="rounds")
    options = parser.parse_args()
    out = Console(width=100)
    out.print(f"{commit()}, {machine()}, load {os.getloadavg()[0]:.1f}", highlight=False)
    table = Table("requests", "CPU ms each", "a second of CPU", "a second", title="one worker")
    with (
        tempfile.TemporaryDirectory() as folder,
        LocalBroker(Path(folder, "kafka"), 0) as broker,
        Deployment(broker.bootstrap, Path(folder, "data")) as deployment,
    ):
        asyncio.run(run(deployment, options, table))
    out.print(table)


if __name__ == "__main__":
    main()
