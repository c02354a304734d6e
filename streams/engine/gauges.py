"""Gauges, looked up when metrics are scraped: the progress of a worker, and its load."""

from collections.abc import Callable, Iterator, Mapping
from time import monotonic
from typing import NamedTuple

from aiokafka import TopicPartition
from prometheus_client.core import GaugeMetricFamily
from prometheus_client.registry import Collector

from connectors.kafka.standstill import StandstillClock
from streams.engine.acks.acknowledgements import Acknowledgements
from streams.engine.faust.table import ChangelogTable
from streams.engine.life.watchdog import Position
from streams.engine.timer import Timer

Sizes = Callable[[], Mapping[str, int]]


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
        self._agent = agent
        self._acks = acks
        self._tables = tables
        self._sizes = sizes
        self._clock = clock
        self._timer = timer
        self._positions: Mapping[TopicPartition, Position] = {}
        self._commits = StandstillClock()

    def note(self, now: float, positions: Mapping[TopicPartition, Position]) -> None:
        """Note how far the input partitions are; changelogs have no gauge."""
        inputs = self._acks.assignment.ledgers.keys()
        self._positions = {tp: each for tp, each in positions.items() if tp in inputs}
        progress = {tp: (each.committed, each.lag) for tp, each in self._positions.items()}
        self._commits.note(now, progress)

    def look_up(self, families: "Families") -> None:
        """Look everything up, and add it."""
        ages = self._commits.ages(self._clock())
        for tp, position in self._positions.items():
            labels = (self._agent, self._acks.topic(tp), str(tp.partition))
            families.lag.add_metric(labels, position.lag)
            families.age.add_metric(labels, ages[tp])
        families.in_flight.add_metric((self._agent,), self._acks.capacity.in_flight)
        for kind, count in self._sizes().items():
            families.held.add_metric((self._agent, kind), count)
        for name, table in self._tables.items():
            families.bytes.add_metric((self._agent, name), table.size)
        if self._timer is not None and (ticked := self._timer.oldest_s) is not None:
            families.timer.add_metric((self._agent,), ticked)


class Families(NamedTuple):
    """All gauges, as one scrape returns them."""

    lag: GaugeMetricFamily
    age: GaugeMetricFamily
    in_flight: GaugeMetricFamily
    held: GaugeMetricFamily
    bytes: GaugeMetricFamily
    timer: GaugeMetricFamily


class Gauges(Collector):
    """The gauges of all agents of a process: a registry takes each name once."""

    def __init__(self) -> None:
        """Begin without agents."""
        self._agents: list[AgentGauges] = []

    def add(self, agent: AgentGauges) -> None:
        """Add those of one more agent."""
        self._agents.append(agent)

    def describe(self) -> Iterator[GaugeMetricFamily]:
        """Return all gauges without values."""
        yield from _families()

    def collect(self) -> Iterator[GaugeMetricFamily]:
        """Look everything up."""
        families = _families()
        for agent in self._agents:
            agent.look_up(families)
        yield from families


def _families() -> Families:
    partition, agent = ("agent", "topic", "partition"), ("agent",)
    return Families(
        lag=GaugeMetricFamily(
            "vokter_lag_messages",
            "Messages after the committed offset, as the broker reported within the last 10 s.",
            labels=partition,
        ),
        age=GaugeMetricFamily(
            "vokter_commit_age_seconds",
            "Time for which messages have waited at the same committed offset.",
            labels=partition,
        ),
        in_flight=GaugeMetricFamily(
            "vokter_in_flight_messages",
            "Messages and outcomes of timers that are at work and not yet acknowledged.",
            labels=agent,
        ),
        held=GaugeMetricFamily(
            "vokter_memory_entries",
            "Entries that an agent keeps in memory for its partitions, by kind.",
            labels=(*agent, "kind"),
        ),
        bytes=GaugeMetricFamily(
            "vokter_table_bytes",
            "Size of the local copy of a table.",
            labels=(*agent, "table"),
        ),
        timer=GaugeMetricFamily(
            "vokter_timer_timestamp_seconds",
            "When the timer decided last, of the partition that waits longest (epoch seconds).",
            labels=agent,
        ),
    )
