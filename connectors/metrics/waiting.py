"""The times that pages wait for their hosts, looked up when metrics are scraped."""

from collections.abc import Callable, Iterator

from prometheus_client.core import GaugeMetricFamily
from prometheus_client.registry import Collector

WAIT_METRIC, LOAD_METRIC = "vokter_host_wait_seconds", "vokter_host_load_ratio"
BACKLOG_METRIC = "vokter_host_backlog_pages"
LARGE_BACKLOG = 100
"""Pages from which on a backlog is named: each host and manager that is named is a series."""


class WaitGauges(Collector):
    """The gauges of a fetch worker that say whether its hosts keep up."""

    def __init__(
        self,
        longest: Callable[[], float],
        load: Callable[[], float],
        backlog: Callable[[], tuple[str, str, int] | None],
    ) -> None:
        """``longest`` returns the longest wait (s), ``load`` the highest load of a host.

        ``backlog`` returns the host and the manager of which most pages wait, and how many.
        """
        self._longest = longest
        self._load = load
        self._backlog = backlog

    def describe(self) -> Iterator[GaugeMetricFamily]:
        """Return all gauges without values."""
        yield from (_wait(), _load(), _backlog())

    def collect(self) -> Iterator[GaugeMetricFamily]:
        """Look all up."""
        wait, load, backlog = _wait(), _load(), _backlog()
        wait.add_metric((), self._longest())
        load.add_metric((), self._load())
        largest = self._backlog()
        if largest is not None and largest[2] >= LARGE_BACKLOG:
            host, manager, pages = largest
            backlog.add_metric((host, manager), pages)
        yield from (wait, load, backlog)


def _wait() -> GaugeMetricFamily:
    text = "Time for which a page that is due has waited for its host, the longest."
    return GaugeMetricFamily(WAIT_METRIC, text, labels=())


def _backlog() -> GaugeMetricFamily:
    text = "Pages that are due and wait, of the host and manager of which most do; from 100 on."
    return GaugeMetricFamily(BACKLOG_METRIC, text, labels=("host", "manager"))


def _load() -> GaugeMetricFamily:
    text = "Visits asked of a host, per visit that it can have; the highest of all hosts."
    return GaugeMetricFamily(LOAD_METRIC, text, labels=())
