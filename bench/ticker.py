"""One worker of the ticker with very many watches: the cost of holding and ticking them.

``python -m bench.ticker [WATCHES]``: a million, all of them overdue when the worker starts,
as after a downtime; later a thousand fall due every second. With a real Kafka.
"""

import asyncio
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

from aiokafka import AIOKafkaConsumer
from rich.console import Console

from bench.deployed import filled, started
from bench.race.usage import cpu, family, memory
from infra.broker import LocalBroker
from schemas.codec import wire
from schemas.records.fetches import FetchDue
from schemas.records.table_rows import Scheduled
from schemas.records.topics import FETCHES
from schemas.records.watches import Watch
from streams.effects.clock import now
from streams.settings import Settings
from tests.harness.processes import Deployment

WATCHES, INTERVAL = 1_000_000, 1_000
CAUGHT_UP, SECONDS = 600.0, 30.0
LARGE = 2**24


def rows(count: int) -> Iterator[tuple[str, bytes, Scheduled]]:
    """Yield URL, key and row of each watch."""
    since = now() - INTERVAL * 1000
    for number in range(count):
        url = f"http://host-{number % 10_000}.test/page/{number}"
        yield url, url.encode(), Scheduled(url, Watch(f"{number:032x}", INTERVAL), since)


async def commanded(settings: Settings, seconds: float, enough: int = 0) -> int:
    """Count the URLs that are commanded to be fetched in a while, or until ``enough`` were."""
    topic, found = settings.topic_prefix + FETCHES.name, 0
    consumer = AIOKafkaConsumer(
        topic,
        bootstrap_servers=settings.kafka,
        max_partition_fetch_bytes=LARGE,
        auto_offset_reset="earliest" if enough else "latest",
    )
    async with consumer:
        end = asyncio.get_running_loop().time() + seconds
        while (left := end - asyncio.get_running_loop().time()) > 0:
            for records in (await consumer.getmany(timeout_ms=int(left * 1000))).values():
                facts = (wire.decode(record.value, FetchDue) for record in records)
                found += sum(len(fact.due) for fact in facts)
            if enough and found >= enough:
                break
    return found


def main() -> None:
    """Measure and print."""
    count = int(sys.argv[1]) if len(sys.argv) > 1 else WATCHES
    with (
        tempfile.TemporaryDirectory() as folder,
        LocalBroker(Path(folder, "kafka"), 0) as broker,
        Deployment(broker.bootstrap, Path(folder, "data")) as deployment,
    ):
        asyncio.run(filled(deployment.settings, "ticker", "watches", rows(count)))
        start = started(deployment, "ticker")
        overdue = asyncio.run(commanded(deployment.settings, CAUGHT_UP, count))
        pids = family(deployment["ticker"].pid)
        before = cpu(pids)
        due = asyncio.run(commanded(deployment.settings, SECONDS))
        share = (cpu(pids) - before) / SECONDS
        Console().print(
            f"{count:,} watches: ready after {start:.1f} s, {overdue:,} overdue ones commanded; "
            f"{memory(pids) / 1e6:.0f} MB; "
            f"{due / SECONDS:,.0f} due a second take {share:.1%} of a core"
        )


if __name__ == "__main__":
    main()
