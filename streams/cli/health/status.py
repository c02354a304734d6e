"""``vokter status``: stages, partitions, lag and what waits, as a view that stays up to date."""

import asyncio
import json
from collections import Counter
from collections.abc import AsyncIterator, Mapping
from contextlib import AsyncExitStack, asynccontextmanager, suppress
from dataclasses import dataclass
from pathlib import Path

from aiohttp import ClientError, ClientSession, ClientTimeout
from aiokafka import AIOKafkaConsumer, TopicPartition
from aiokafka.admin import AIOKafkaAdminClient
from aiokafka.errors import KafkaError
from prometheus_client.parser import text_string_to_metric_families
from rich.console import Console
from rich.live import Live
from rich.table import Table

from connectors.kafka.groups import Group, describe, lag
from streams.cli.progress import waiting
from streams.pipeline import STAGES, Process
from streams.settings import Settings
from streams.topics import group_id
from streams.wiring.connections import kafka_access

EVERY = 2.0
PATIENCE = ClientTimeout(2)
HELD = "vokter_memory_entries"

Held = Mapping[str, Counter[str]]
"""What each stage keeps in memory, by kind."""


@dataclass(frozen=True, slots=True)
class Row:
    """How one stage is; ``lag`` has every partition that it reads."""

    stage: str
    group: Group
    lag: Mapping[TopicPartition, int]


async def run(settings: Settings, once: bool) -> None:
    """Show how all is, once or until cancelled; raises KafkaError."""
    console = Console()
    async with _clients(settings) as (admin, consumer, http):

        async def view() -> Table:
            rows = [await _row(settings, stage, admin, consumer) for stage in STAGES.values()]
            return table(rows, await held(settings.metrics_folder, http), settings.topic_prefix)

        async with waiting("asking the broker"):
            first = await view()
        if once:
            console.print(first)
            return
        with Live(first, console=console, auto_refresh=False) as live:
            while True:
                await asyncio.sleep(EVERY)
                with suppress(KafkaError):  # what was seen last stays, until the broker is back
                    live.update(await view(), refresh=True)


@asynccontextmanager
async def _clients(
    settings: Settings,
) -> AsyncIterator[tuple[AIOKafkaAdminClient, AIOKafkaConsumer, ClientSession]]:
    async with AsyncExitStack() as stack:
        admin = AIOKafkaAdminClient(**kafka_access(settings).client())
        stack.push_async_callback(admin.close)
        await admin.start()
        consumer = AIOKafkaConsumer(**kafka_access(settings).client(), group_id=None)
        stack.push_async_callback(consumer.stop)
        await consumer.start()
        yield admin, consumer, await stack.enter_async_context(ClientSession(timeout=PATIENCE))


async def _row(
    settings: Settings, stage: Process, admin: AIOKafkaAdminClient, consumer: AIOKafkaConsumer
) -> Row:
    group = await describe(admin, group_id(settings.topic_prefix, stage.name))
    topics = [settings.topic_prefix + topic.name for topic in stage.reads]
    behind = await lag(consumer, group, topics, settings.partitions)
    return Row(stage.name, group, behind)


async def held(folder: Path, http: ClientSession) -> Held:
    """Ask the processes of this machine what they keep in memory; who does not answer is left out.

    ``folder`` is where they note their addresses.
    """
    found: dict[str, Counter[str]] = {}
    for file in _files(folder):
        with suppress(ClientError, OSError, TimeoutError, ValueError, LookupError):
            (place,) = json.loads(file.read_text("utf-8"))[0]["targets"]
            async with http.get(f"http://{place}/metrics") as response:
                _add(await response.text(), found)
    return found


def _files(folder: Path) -> list[Path]:
    return sorted(folder.glob("*.json"))


def _add(text: str, found: dict[str, Counter[str]]) -> None:
    for family in text_string_to_metric_families(text):
        for sample in family.samples if family.name == HELD else ():
            kinds = found.setdefault(sample.labels["stage"], Counter())
            kinds[sample.labels["kind"]] += int(sample.value)


def table(rows: list[Row], keeps: Held, prefix: str) -> Table:
    """Draw it; the topics of a stage that is behind are named, without their ``prefix``."""
    drawn = Table("stage", "state", "workers", "partitions", "lag", "behind on", "in memory")
    for row in rows:
        topics: Counter[str] = Counter()
        for place, count in row.lag.items():
            topics[place.topic.removeprefix(prefix)] += count
        behind = ", ".join(f"{topic} {count}" for topic, count in topics.items() if count)
        kinds = keeps.get(row.stage, Counter()).items()
        memory = ", ".join(f"{kind.replace('_', ' ')} {count}" for kind, count in kinds)
        held_by = len(row.group.held & row.lag.keys())
        style = "red" if held_by < len(row.lag) else "yellow" if behind else "green"
        drawn.add_row(
            row.stage,
            row.group.state.lower(),
            str(row.group.members),
            f"{held_by} of {len(row.lag)}",
            str(topics.total()),
            behind,
            memory,
            style=style,
        )
    return drawn
