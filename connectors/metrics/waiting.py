"""How long pages wait for their hosts, looked up when metrics are scraped."""

from collections.abc import Callable, Iterator

from prometheus_client.core import GaugeMetricFamily
from prometheus_client.registry import Collector

WAIT_METRIC, LOAD_METRIC = "vokter_host_wait_seconds", "vokter_host_load_ratio"


class WaitGauges(Collector):
    """The gauges of a fetch worker that say whether its hosts keep up."""

    def __init__(self, longest: Callable[[], float], load: Callable[[], float]) -> None:
        """``longest`` returns the longest wait (s), ``load`` the highest load of a host."""
        self._longest = longest
        self._load = load

    def describe(self) -> Iterator[GaugeMetricFamily]:
        """Return both gauges without values."""
        yield from (_wait(), _load())

    def collect(self) -> Iterator[GaugeMetricFamily]:
        """Look both up."""
        wait, load = _wait(), _load()
        wait.add_metric((), self._longest())
        load.add_metric((), self._load())
        yield from (wait, load)


def _wait() -> GaugeMetricFamily:
    text = "Time for which a page that is due has waited for its host, the longest."
    return GaugeMetricFamily(WAIT_METRIC, text, labels=())


def _load() -> GaugeMetricFamily:
    text = "Visits asked of a host, per visit that it can have; the highest of all hosts."
    return GaugeMetricFamily(LOAD_METRIC, text, labels=())
