"""How many cores, machines, workers, partitions, brokers and bytes so many watches need.

Pure: figures that were measured (``measured.py`` loads them) times what is asked for.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from math import ceil, log2

from bench.cost.units import Units, expected
from streams.app import AGENTS

DAY = 86_400
CHANGELOG = "-changelog"
AGENTS_OF = {"percolat": "percolate", "backfill": "history"}
"""Agents by the names of measured processes, of which Linux keeps 15 bytes, or by former ones."""
LARGEST_PARTITIONS = 4
"""Partitions for each worker of the agent with most workers, so that there may be more."""


@dataclass(frozen=True, slots=True)
class Demand:
    """What is asked for. Its defaults are the question "toward the internet"."""

    watches: float = 1e8
    interval: float = 3_600.0
    """Seconds between two checks of a page."""
    change: float = 0.02
    """Share of checks that find a change."""
    subscriptions: float = 1.0
    """Subscriptions of each watch."""
    concerned: float = 1.0
    """Share of a page's subscriptions that a change of it concerns."""
    unmodified: float = 0.0
    """Share of unchanged checks that are answered with 304."""
    replication: int = 3
    retention: float = 7.0
    """Days that topics and listings are kept."""
    history: float = 10.0
    """Older texts kept of each page."""
    cores: int = 32
    memory: float = 128.0
    """GB of a machine."""
    worker_memory: float = 8.0
    """GB that one worker may have."""
    busy: float = 0.6
    """Share of its cores, disks and networks that is planned to be in use."""
    broker_rate: float = 100.0
    """MB a second that one broker's disk and network take."""
    broker_disk: float = 4_000.0
    """GB of one broker."""


@dataclass(frozen=True, slots=True)
class Measured:
    """What one unit takes; ``units`` are CPU seconds and bytes by kind, unit and part.

    ``memory`` has the bytes of a process at rest. ``held`` has, by agent, those that a worker
    takes in addition once it has work (``working``: page processes, caches, and buffers of
    tables, which do not grow with watches), and those of each ``watch`` and ``subscription``.
    ``operations`` are those on the store, by unit. ``page`` are bytes.
    """

    units: Units
    memory: Mapping[str, float]
    held: Mapping[str, Mapping[str, float]]
    operations: Mapping[str, float]
    page: float


@dataclass(frozen=True, slots=True)
class Agent:
    """What one agent needs in all its workers: cores, processes, and bytes of memory."""

    cores: float
    workers: int
    memory: float


@dataclass(frozen=True, slots=True)
class Answer:
    """What the demand needs. Rates are per second, sizes in bytes."""

    rates: Mapping[str, float]
    agents: Mapping[str, Agent]
    machines: int
    partitions: int
    kafka_in: float
    kafka_out: float
    kafka_disk: float
    broker_cores: float
    brokers: int
    store_size: float
    store_written: float
    store_operations: float
    pages_in: float

    @property
    def cores(self) -> float:
        """The cores that all agents keep busy."""
        return sum(each.cores for each in self.agents.values())


def answer(demand: Demand, known: Measured) -> Answer:
    """Return what a demand needs.

    What a process uses at rest (``second``) is counted for each worker, what is written then
    is left out: rows of ticks, and commits.
    """
    rates = rates_of(demand)
    cpu = expected(known.units, "cpu", rates)
    broker_cores = cpu.pop("broker")
    agents = {
        name: _agent(name, demand, known, cpu)
        for name in cpu
        if AGENTS_OF.get(name, name) in AGENTS
    }
    workers = max(each.workers for each in agents.values())
    written, read = kafka_rates(known.units, rates)
    kafka_in = written * demand.replication
    kafka_disk = kafka_in * DAY * demand.retention
    tables = expected(known.units, "store", rates)
    rows = [each * rates.get(unit, 0.0) for unit, each in known.operations.items()]
    return Answer(
        rates, agents,
        machines=_machines(demand, list(agents.values())),
        partitions=int(2 ** ceil(log2(max(2, workers * LARGEST_PARTITIONS)))),
        kafka_in=kafka_in, kafka_out=read, kafka_disk=kafka_disk, broker_cores=broker_cores,
        brokers=_brokers(demand, kafka_in + read, kafka_disk, broker_cores),
        store_size=store_size(demand, known), store_written=sum(tables.values()),
        store_operations=sum(rows), pages_in=rates["check"] * known.page,
    )  # fmt: skip


def rates_of(demand: Demand) -> dict[str, float]:
    """Return how many of each unit there are in a second.

    >>> rates_of(Demand(watches=3_600, interval=3_600, change=0.5, subscriptions=4))["notification"]
    2.0
    """
    checks = demand.watches / demand.interval
    changes = checks * demand.change
    unmodified = (checks - changes) * demand.unmodified
    notifications = changes * demand.subscriptions * demand.concerned
    return {
        "check": checks - unmodified,
        "unmodified": unmodified,
        "change": changes,
        "notification": notifications,
    }


def kafka_rates(known: Units, rates: Mapping[str, float]) -> tuple[float, float]:
    """Return the bytes a second that are produced, and that consumers read."""
    topics = expected(known, "kafka", rates)
    readers = {
        topic: sum(topic in {each.name for each in agent.reads} for agent in AGENTS.values())
        for topic in topics
    }
    return sum(topics.values()), sum(each * readers[topic] for topic, each in topics.items())


def store_size(demand: Demand, known: Measured) -> float:
    """Return the bytes that the store comes to: pages, their older texts, and what is listed."""
    rates, store = rates_of(demand), known.units["store"]
    days = demand.retention * DAY
    texts = store.get("change", {}).get("snapshots", 0.0)
    older = min(demand.history * demand.watches, rates["change"] * days)
    facts = sum(parts.get("facts", 0.0) * rates.get(unit, 0.0) for unit, parts in store.items())
    return demand.watches * sum(store["watch"].values()) + texts * older + facts * days


def memory_of(name: str, known: Measured, workers: int, rows: float) -> float:
    """Return the bytes of all workers of an agent, with ``rows`` of these for what is watched.

    Other processes than agents have what they have at rest.
    """
    working = known.held.get(name, {}).get("working", 0.0)
    return workers * (known.memory.get(name, 0.0) + working) + rows


def rows_of(name: str, known: Measured, watches: float, subscriptions: float) -> float:
    """Return the bytes that an agent has in memory of watches with so many subscriptions each."""
    held = known.held.get(name, {})
    each = held.get("watch", 0.0) + held.get("subscription", 0.0) * subscriptions
    return watches * each


def _agent(name: str, demand: Demand, known: Measured, cpu: Mapping[str, float]) -> Agent:
    busy = cpu[name]
    rows = rows_of(name, known, demand.watches, demand.subscriptions)
    workers = max(1, ceil(busy / demand.busy), ceil(rows / (demand.worker_memory * 1e9)))
    resting = known.units["cpu"]["second"].get(name, 0.0) * workers
    return Agent(busy + resting, workers, memory_of(name, known, workers, rows))


def _machines(demand: Demand, agents: list[Agent]) -> int:
    cores = sum(each.cores for each in agents) / demand.cores
    memory = sum(each.memory for each in agents) / (demand.memory * 1e9)
    return ceil(max(cores, memory) / demand.busy)


def _brokers(demand: Demand, rate: float, disk: float, cores: float) -> int:
    by_rate = rate / (demand.broker_rate * 1e6 * demand.busy)
    by_disk = disk / (demand.broker_disk * 1e9 * demand.busy)
    by_cores = cores / (demand.cores * demand.busy)
    return max(demand.replication, ceil(by_rate), ceil(by_disk), ceil(by_cores))
