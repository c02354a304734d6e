"""``vokter status``: workers, partitions, lag and memory of each agent, refreshed every 2 s."""

import asyncio
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from typing import Any

from aiohttp import ClientSession, ClientTimeout
from aiokafka import AIOKafkaConsumer, TopicPartition
from aiokafka.admin import AIOKafkaAdminClient
from aiokafka.errors import KafkaError
from prometheus_client import Metric
from rich.console import Console
from rich.live import Live
from rich.table import Table

from connectors.access.callers import DEFAULT_MANAGER
from connectors.access.keys import InvalidApiKeys, load_keys
from connectors.kafka.admin import admin_client
from connectors.kafka.groups import Group, describe_group, group_lag
from connectors.kafka.reading import groupless_consumer
from connectors.metrics.counters import FLAPPING_METRIC
from connectors.metrics.scraping import largest_backlogs, samples, scraped_metrics
from connectors.metrics.waiting import LOAD_METRIC, WAIT_METRIC, Backlog
from streams.app import AGENTS, NEEDED_AGENTS, RENDER
from streams.cli.output import print_json, print_table, say
from streams.cli.progress import waiting
from streams.cli.setup.preparation import with_partitions
from streams.effects.backlogs import with_names
from streams.effects.connections import kafka_access
from streams.settings import Settings
from streams.values.agent import Agent, group_id

REFRESH_EVERY_S = 2.0
LONG_WAIT_S = 10.0
METRICS_TIMEOUT = ClientTimeout(2)
MEMORY_METRIC = "vokter_memory_entries"

InMemory = Mapping[str, Counter[str]]
"""The number of items of each agent in memory, by kind."""


@dataclass(frozen=True, slots=True)
class AgentStatus:
    """The state of an agent; ``lag`` has all its partitions."""

    agent: str
    group: Group
    lag: Mapping[TopicPartition, int]


async def run(settings: Settings, *, once: bool, as_json: bool = False) -> None:
    """Show the table, once or until cancelled; raises KafkaError."""
    console = Console()
    settings = await with_partitions(settings)
    managers = {DEFAULT_MANAGER}
    with suppress(InvalidApiKeys):  # vokter doctor says what is wrong with them
        managers |= {key.manager for key in load_keys(settings.keys_file)}
    access = kafka_access(settings)
    async with (
        admin_client(access) as admin,
        groupless_consumer(access, isolation_level="read_uncommitted") as consumer,
        ClientSession(timeout=METRICS_TIMEOUT) as http,
    ):

        async def agents() -> list[AgentStatus]:
            every = [await _row(settings, agent, admin, consumer) for agent in AGENTS.values()]
            return [row for row in every if is_shown(row)]

        async def view() -> Table:
            rows, metrics = await agents(), await scraped_metrics(settings.metrics_folder, http)
            drawn = status_table(rows, in_memory(metrics), settings.topic_prefix)
            captions = (
                wait_caption(fetch_waits(metrics), managers),
                flapping_caption(flapping_changes(metrics)),
                missing_caption(rows),
            )
            drawn.caption = "\n".join(filter(None, captions)) or None
            return drawn

        if as_json:
            memory = in_memory(await scraped_metrics(settings.metrics_folder, http))
            for row in await agents():
                print_json(status_json(row, memory, settings.topic_prefix))
            return
        async with waiting("asking the broker"):
            first = await view()
        if once or not console.is_terminal:
            print_table(first)
            if first.caption:
                say(str(first.caption))
            return
        with Live(first, console=console, auto_refresh=False) as live:
            while True:
                await asyncio.sleep(REFRESH_EVERY_S)
                with suppress(KafkaError):  # keep the last table until the broker is back
                    live.update(await view(), refresh=True)


async def _row(
    settings: Settings, agent: Agent, admin: AIOKafkaAdminClient, consumer: AIOKafkaConsumer
) -> AgentStatus:
    group = await describe_group(admin, group_id(settings.topic_prefix, agent.name))
    topics = [settings.topic_prefix + topic.name for topic in agent.reads]
    behind = await group_lag(consumer, group, topics, settings.partitions)
    return AgentStatus(agent.name, group, behind)


def in_memory(metrics: Iterable[Metric]) -> InMemory:
    """Count the items in memory of processes."""
    found: dict[str, Counter[str]] = {}
    for sample in samples(metrics, MEMORY_METRIC):
        kinds = found.setdefault(sample.labels["agent"], Counter())
        kinds[sample.labels["kind"]] += int(sample.value)
    return found


@dataclass(frozen=True, slots=True)
class FetchWaits:
    """The longest wait (s) of a page for its host, and the highest load of a host.

    ``backlogs`` are the hosts and managers of which most pages wait.
    """

    seconds: float
    load: float
    backlogs: Sequence[Backlog] = ()


def fetch_waits(metrics: Sequence[Metric]) -> FetchWaits:
    """Return how long pages wait, and of which hosts and managers most do."""
    seconds, load = (
        max((sample.value for sample in samples(metrics, name)), default=0.0)
        for name in (WAIT_METRIC, LOAD_METRIC)
    )
    return FetchWaits(seconds, load, largest_backlogs(metrics))


def wait_caption(waits: FetchWaits, managers: Iterable[str] = ()) -> str | None:
    """Return the line about pages in wait for their hosts, None if none waits long.

    The line names managers among ``managers``.
    """
    if waits.seconds < LONG_WAIT_S:
        return None
    said = f"pages that are due wait up to {waits.seconds:.0f} s for their hosts"
    if waits.load > 1:
        said += f"; the busiest is asked for {waits.load:.1f} times what it can have"
    for each in with_names(waits.backlogs, managers):
        said += f"; {each.pages} wait for {each.host}, of the manager {each.manager or 'unknown'}"
    return said


def flapping_changes(metrics: Iterable[Metric]) -> int:
    """Count the changes of flapping pages that processes have found since they began."""
    return int(sum(sample.value for sample in samples(metrics, FLAPPING_METRIC)))


def flapping_caption(changes: int) -> str | None:
    """Return the line about pages going back to earlier texts, None if none does."""
    if not changes:
        return None
    return f"changes of pages that keep going back to earlier texts: {changes} (vokter doctor)"


def is_shown(row: AgentStatus) -> bool:
    """Return whether an agent is needed, runs or should run."""
    return row.agent in NEEDED_AGENTS or row.group.members > 0 or any(row.lag.values())


def missing_caption(rows: Iterable[AgentStatus]) -> str | None:
    """Return the line about pages in wait for an agent without a running worker."""
    for row in rows:
        if row.agent == RENDER.name and not row.group.members:
            return f"pages that need scripts wait: start vokter worker {row.agent} (vokter doctor)"
    return None


def _lag(row: AgentStatus, prefix: str) -> Counter[str]:
    """Count the unread messages of an agent, by topic without its ``prefix``."""
    topics: Counter[str] = Counter()
    for partition, count in row.lag.items():
        topics[partition.topic.removeprefix(prefix)] += count
    return topics


def status_json(row: AgentStatus, memory: InMemory, prefix: str) -> dict[str, Any]:
    """Return the state of an agent as JSON."""
    return {
        "agent": row.agent,
        "state": row.group.state.lower(),
        "workers": row.group.members,
        "partitions": len(row.lag),
        "assigned": len(row.group.held & row.lag.keys()),
        "lag": dict(_lag(row, prefix)),
        "inMemory": dict(memory.get(row.agent, {})),
    }


def status_table(rows: list[AgentStatus], memory: InMemory, prefix: str) -> Table:
    """Return the table; topics with a lag are named, without their ``prefix``."""
    drawn = Table("agent", "state", "workers", "partitions", "lag", "lags on", "in memory")
    for row in rows:
        topics = _lag(row, prefix)
        behind = ", ".join(f"{topic} {count}" for topic, count in topics.items() if count)
        kinds = memory.get(row.agent, Counter()).items()
        entries = ", ".join(f"{kind.replace('_', ' ')} {count}" for kind, count in kinds)
        held_by = len(row.group.held & row.lag.keys())
        style = "red" if held_by < len(row.lag) else "yellow" if behind else "green"
        drawn.add_row(
            row.agent,
            row.group.state.lower(),
            str(row.group.members),
            f"{held_by} of {len(row.lag)}",
            str(topics.total()),
            behind,
            entries,
            style=style,
        )
    return drawn
