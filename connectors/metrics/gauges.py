"""The gauges of every agent, looked up when metrics are scraped."""

from collections.abc import Callable, Iterator

from prometheus_client.core import GaugeMetricFamily
from prometheus_client.registry import Collector

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

GaugeValue = tuple[str, tuple[str, ...], float]
"""The name of a gauge, its labels after the agent, and a value."""
LookUp = Callable[[], Iterator[GaugeValue]]


class Gauges(Collector):
    """The gauges of all agents of a process: a registry takes each name once."""

    def __init__(self) -> None:
        self._values: dict[str, LookUp] = {}

    def add(self, agent: str, values: LookUp) -> None:
        """Add those of one more agent, by its name."""
        self._values[agent] = values

    def describe(self) -> Iterator[GaugeMetricFamily]:
        """Return all gauges without values."""
        yield from _families().values()

    def collect(self) -> Iterator[GaugeMetricFamily]:
        """Look everything up."""
        families = _families()
        for agent, values in self._values.items():
            for name, labels, value in values():
                families[name].add_metric((agent, *labels), value)
        yield from families.values()


def _families() -> dict[str, GaugeMetricFamily]:
    return {
        name: GaugeMetricFamily(name, text, labels=("agent", *labels))
        for name, (text, *labels) in _GAUGES.items()
    }
