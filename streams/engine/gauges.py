"""What is looked up when metrics are scraped: how far a worker is, and how much it keeps."""

from collections.abc import Callable, Iterator, Mapping
from time import monotonic

from faust.types import TP
from prometheus_client.core import GaugeMetricFamily
from prometheus_client.registry import Collector

from streams.engine.acks.flow import Flow
from streams.engine.faust.table import Table
from streams.engine.life.watchdog import Standing

PLACE = ("stage", "topic", "partition")

Sizes = Callable[[], Mapping[str, int]]


class Gauges(Collector):
    """A worker's gauges; those of partitions go with them."""

    def __init__(
        self,
        stage: str,
        flow: Flow,
        tables: Mapping[str, Table],
        sizes: Sizes,
        clock: Callable[[], float] = monotonic,
    ) -> None:
        """``sizes`` counts what the stage has in memory; ``clock`` gives seconds."""
        self._stage = stage
        self._flow = flow
        self._tables = tables
        self._sizes = sizes
        self._clock = clock
        self._standings: Mapping[TP, Standing] = {}
        self._moved: dict[TP, tuple[int, float]] = {}

    def note(self, now: float, standings: Mapping[TP, Standing]) -> None:
        """Take note of how far the input partitions are; of changelogs no note is taken."""
        inputs = set(self._flow.inputs)
        self._standings = {tp: each for tp, each in standings.items() if tp in inputs}
        moved = {}
        for tp, each in self._standings.items():
            committed, since = self._moved.get(tp, (None, now))
            is_still = each.behind > 0 and committed == each.committed
            moved[tp] = (each.committed, since if is_still else now)
        self._moved = moved

    def describe(self) -> Iterator[GaugeMetricFamily]:
        """Give the names that there will be."""
        yield from (_lag(), _age(), _in_flight(), _held(), _bytes())

    def collect(self) -> Iterator[GaugeMetricFamily]:
        """Look everything up."""
        now = self._clock()
        lag, age = _lag(), _age()
        for tp, standing in self._standings.items():
            labels = (self._stage, self._flow.topic(tp), str(tp.partition))
            lag.add_metric(labels, standing.behind)
            waits = standing.behind > 0
            age.add_metric(labels, now - self._moved[tp][1] if waits else 0.0)
        in_flight, held, size = _in_flight(), _held(), _bytes()
        in_flight.add_metric((self._stage,), self._flow.in_flight)
        for kind, count in self._sizes().items():
            held.add_metric((self._stage, kind), count)
        for name, table in self._tables.items():
            size.add_metric((self._stage, name), table.size)
        yield from (lag, age, in_flight, held, size)


def _lag() -> GaugeMetricFamily:
    text = "Messages after the committed offset, as the broker reported within the last 10 s."
    return GaugeMetricFamily("vokter_lag_messages", text, labels=PLACE)


def _age() -> GaugeMetricFamily:
    text = "Time for which messages have waited at the same committed offset."
    return GaugeMetricFamily("vokter_commit_age_seconds", text, labels=PLACE)


def _in_flight() -> GaugeMetricFamily:
    text = "Messages that were read and are not yet acknowledged."
    return GaugeMetricFamily("vokter_in_flight_messages", text, labels=("stage",))


def _held() -> GaugeMetricFamily:
    text = "Entries that a stage keeps in memory for its partitions, by kind."
    return GaugeMetricFamily("vokter_memory_entries", text, labels=("stage", "kind"))


def _bytes() -> GaugeMetricFamily:
    text = "Size of the local copy of a table."
    return GaugeMetricFamily("vokter_table_bytes", text, labels=("stage", "table"))
