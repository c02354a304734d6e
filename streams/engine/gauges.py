"""Gauges, looked up when metrics are scraped: the progress of a worker, and its load."""

from collections.abc import Callable, Iterator, Mapping
from time import monotonic

from aiokafka import TopicPartition
from prometheus_client.core import GaugeMetricFamily
from prometheus_client.registry import Collector

from connectors.kafka.standstill import StandstillClock
from streams.engine.acks.acknowledgements import Acknowledgements
from streams.engine.acks.watchdog import Position
from streams.engine.faust.table import ChangelogTable
from streams.engine.timer import Timer

Sizes = Callable[[], Mapping[str, int]]

_GAUGES = {
    "vokter_lag_messages": (
        "Messages after the committed offset, as the broker reported within the last 10 s.",
        *("topic", "partition"),
    ),
    "vokter_commit_age_seconds": (
        "Time for which messages have waited at the same committed offset.",
        *("topic", "partition"),
    ),
    "vokter_in_flight_messages": (
        "Messages and outcomes of timers that are at work and not yet acknowledged.",
    ),
    "vokter_memory_entries": (
        "Entries that an agent keeps in memory for its partitions, by kind.",
        "kind",
    ),
    "vokter_table_bytes": ("Size of the local copy of a table.", "table"),
    "vokter_timer_timestamp_seconds": (
        "When the timer decided last, of the partition that waits longest (epoch seconds).",
    ),
}
"""The text of each gauge, and its labels after the agent."""


class AgentGauges:
    """The gauges of one agent; those of a partition go when the partition goes."""

    def __init__(
        self,
        agent: str,
        acks: Acknowledgements,
        tables: Mapping[str, ChangelogTable],
        sizes: Sizes,
        clock: Callable[[], float] = monotonic,
        timer: Timer | None = None,
    ) -> None:
        """``sizes`` counts what the agent has in memory; ``clock`` returns seconds."""
        self.name = agent
        self._acks = acks
        self._tables = tables
        self._sizes = sizes
        self._clock = clock
        self._timer = timer
        self._positions: Mapping[TopicPartition, Position] = {}
        self._commits = StandstillClock()

    def note(self, now: float, positions: Mapping[TopicPartition, Position]) -> None:
        """Note how far the input partitions are; changelogs have no gauge."""
        inputs = self._acks.ledgers.keys()
        self._positions = {tp: each for tp, each in positions.items() if tp in inputs}
        progress = {tp: (each.committed, each.lag) for tp, each in self._positions.items()}
        self._commits.note(now, progress)

    def values(self) -> Iterator[tuple[str, tuple[str, ...], float]]:
        """Look everything up: yield the name of each gauge, its labels after the agent, a value."""
        ages = self._commits.ages(self._clock())
        for tp, position in self._positions.items():
            partition = self._acks.topic(tp), str(tp.partition)
            yield "vokter_lag_messages", partition, position.lag
            yield "vokter_commit_age_seconds", partition, ages[tp]
        yield "vokter_in_flight_messages", (), self._acks.capacity.in_flight
        for kind, count in self._sizes().items():
            yield "vokter_memory_entries", (kind,), count
        for name, table in self._tables.items():
            yield "vokter_table_bytes", (name,), table.size
        if self._timer is not None and (ticked := self._timer.oldest_s) is not None:
            yield "vokter_timer_timestamp_seconds", (), ticked


class Gauges(Collector):
    """The gauges of all agents of a process: a registry takes each name once."""

    def __init__(self) -> None:
        self._agents: list[AgentGauges] = []

    def add(self, agent: AgentGauges) -> None:
        """Add those of one more agent."""
        self._agents.append(agent)

    def describe(self) -> Iterator[GaugeMetricFamily]:
        """Return all gauges without values."""
        yield from _families().values()

    def collect(self) -> Iterator[GaugeMetricFamily]:
        """Look everything up."""
        families = _families()
        for agent in self._agents:
            for name, labels, value in agent.values():
                families[name].add_metric((agent.name, *labels), value)
        yield from families.values()


def _families() -> dict[str, GaugeMetricFamily]:
    return {
        name: GaugeMetricFamily(name, text, labels=("agent", *labels))
        for name, (text, *labels) in _GAUGES.items()
    }
