"""What is looked up when metrics are scraped: how far a worker is, and how much it has."""

from collections.abc import Callable, Iterator, Mapping
from time import monotonic
from typing import NamedTuple, Protocol

from aiokafka import TopicPartition
from prometheus_client.core import GaugeMetricFamily
from prometheus_client.registry import Collector

from connectors.kafka.standstill import StandstillClock
from streams.engine.acks.flow import Flow
from streams.engine.life.watchdog import Position

PARTITION_LABELS = ("stage", "topic", "partition")

Sizes = Callable[[], Mapping[str, int]]


class SizedTable(Protocol):
    """A table that knows its size."""

    @property
    def size(self) -> int:
        """Bytes that its local copies take."""


class StageGauges:
    """The gauges of one stage; those of a partition go when the partition goes."""

    def __init__(
        self,
        stage: str,
        flow: Flow,
        tables: Mapping[str, SizedTable],
        sizes: Sizes,
        clock: Callable[[], float] = monotonic,
    ) -> None:
        """``sizes`` counts what the stage has in memory; ``clock`` returns seconds."""
        self._stage = stage
        self._flow = flow
        self._tables = tables
        self._sizes = sizes
        self._clock = clock
        self._positions: Mapping[TopicPartition, Position] = {}
        self._commits = StandstillClock()

    def note(self, now: float, positions: Mapping[TopicPartition, Position]) -> None:
        """Note how far the input partitions are; changelogs have no gauge."""
        inputs = set(self._flow.inputs)
        self._positions = {tp: each for tp, each in positions.items() if tp in inputs}
        progress = {tp: (each.committed, each.lag) for tp, each in self._positions.items()}
        self._commits.note(now, progress)

    def look_up(self, families: "Families") -> None:
        """Look everything up, and add it."""
        ages = self._commits.ages(self._clock())
        for tp, position in self._positions.items():
            labels = (self._stage, self._flow.topic(tp), str(tp.partition))
            families.lag.add_metric(labels, position.lag)
            families.age.add_metric(labels, ages[tp])
        families.in_flight.add_metric((self._stage,), self._flow.in_flight)
        for kind, count in self._sizes().items():
            families.held.add_metric((self._stage, kind), count)
        for name, table in self._tables.items():
            families.bytes.add_metric((self._stage, name), table.size)


class Families(NamedTuple):
    """All gauges, as one scrape returns them."""

    lag: GaugeMetricFamily
    age: GaugeMetricFamily
    in_flight: GaugeMetricFamily
    held: GaugeMetricFamily
    bytes: GaugeMetricFamily


class Gauges(Collector):
    """The gauges of all stages of a process: a registry takes each name once."""

    def __init__(self) -> None:
        """Begin without stages."""
        self._stages: list[StageGauges] = []

    def add(self, stage: StageGauges) -> None:
        """Add those of one more stage."""
        self._stages.append(stage)

    def describe(self) -> Iterator[GaugeMetricFamily]:
        """Return all gauges without values."""
        yield from _families()

    def collect(self) -> Iterator[GaugeMetricFamily]:
        """Look everything up."""
        families = _families()
        for stage in self._stages:
            stage.look_up(families)
        yield from families


def _families() -> Families:
    return Families(_lag(), _age(), _in_flight(), _held(), _bytes())


def _lag() -> GaugeMetricFamily:
    text = "Messages after the committed offset, as the broker reported within the last 10 s."
    return GaugeMetricFamily("vokter_lag_messages", text, labels=PARTITION_LABELS)


def _age() -> GaugeMetricFamily:
    text = "Time for which messages have waited at the same committed offset."
    return GaugeMetricFamily("vokter_commit_age_seconds", text, labels=PARTITION_LABELS)


def _in_flight() -> GaugeMetricFamily:
    text = "Messages that were read and are not yet acknowledged."
    return GaugeMetricFamily("vokter_in_flight_messages", text, labels=("stage",))


def _held() -> GaugeMetricFamily:
    text = "Entries that a stage keeps in memory for its partitions, by kind."
    return GaugeMetricFamily("vokter_memory_entries", text, labels=("stage", "kind"))


def _bytes() -> GaugeMetricFamily:
    text = "Size of the local copy of a table."
    return GaugeMetricFamily("vokter_table_bytes", text, labels=("stage", "table"))
