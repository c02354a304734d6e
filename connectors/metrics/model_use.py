"""The use that managers make of the language model, looked up when metrics are scraped."""

from collections.abc import Callable, Iterator, Sequence
from typing import NamedTuple

from prometheus_client.core import GaugeMetricFamily
from prometheus_client.registry import Collector

USE_METRIC = "vokter_model_use"
CALLS, TOKENS = "calls", "tokens"


class ModelUsed(NamedTuple):
    """The calls and tokens of a manager on this day (UTC)."""

    manager: str
    calls: int
    tokens: int


class ModelUseGauges(Collector):
    """The gauges of a judge that say what managers have used today."""

    def __init__(self, used: Callable[[], Sequence[ModelUsed]]) -> None:
        """``used`` returns that of the managers that have used most, by their short hashes."""
        self._used = used

    def describe(self) -> Iterator[GaugeMetricFamily]:
        """Return the gauges without values."""
        yield _family()

    def collect(self) -> Iterator[GaugeMetricFamily]:
        """Look all up."""
        family = _family()
        for manager, calls, tokens in self._used():
            family.add_metric((manager, CALLS), calls)
            family.add_metric((manager, TOKENS), tokens)
        yield family


def _family() -> GaugeMetricFamily:
    text = "Calls and tokens of the language model of this day (UTC), of the managers with most."
    return GaugeMetricFamily(USE_METRIC, text, labels=("manager", "unit"))
