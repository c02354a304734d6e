"""The values of an agent's gauges: its progress in this process, and its load."""

from collections.abc import Callable, Iterator, Mapping
from time import monotonic

from aiokafka import TopicPartition

from connectors.kafka.standstill import StandstillClock
from connectors.metrics.gauges import GaugeValue
from streams.engine.acks.acknowledgements import Acknowledgements
from streams.engine.acks.watchdog import Position
from streams.engine.faust.table import ChangelogTable
from streams.engine.timer import Timer

Sizes = Callable[[], Mapping[str, int]]


class AgentGauges:
    """The gauges of one agent; those of a partition go when the partition goes."""

    def __init__(
        self,
        acks: Acknowledgements,
        tables: Mapping[str, ChangelogTable],
        sizes: Sizes,
        clock: Callable[[], float] = monotonic,
        timer: Timer | None = None,
    ) -> None:
        """``sizes`` counts what the agent has in memory; ``clock`` returns seconds."""
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

    def values(self) -> Iterator[GaugeValue]:
        """Look everything up."""
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
