"""The waits of pages for their hosts, looked up when metrics are scraped."""

from collections.abc import Callable, Iterator, Sequence
from typing import NamedTuple

from prometheus_client.core import GaugeMetricFamily
from prometheus_client.registry import Collector

WAIT_METRIC, LOAD_METRIC = "vokter_host_wait_seconds", "vokter_host_load_ratio"
BACKLOG_METRIC = "vokter_host_backlog_pages"
LARGE_BACKLOG = 100
"""The least pages of a named backlog: each named host and manager is a series."""
MOST_BACKLOGS = 5
"""The most named backlogs, the largest."""


class Backlog(NamedTuple):
    """So many pages are due and wait for their host; the ``manager`` is a short hash, or a name."""

    host: str
    manager: str
    pages: int


class WaitGauges(Collector):
    """The gauges of a fetch worker about its hosts' backlogs."""

    def __init__(
        self,
        longest: Callable[[], float],
        load: Callable[[], float],
        backlogs: Callable[[int], Sequence[tuple[str, str, int]]],
    ) -> None:
        """``longest`` returns the longest wait (s), ``load`` the highest load of a host.

        ``backlogs`` returns so many hosts and managers of which most pages wait, and how many.
        """
        self._longest = longest
        self._load = load
        self._backlogs = backlogs

    def describe(self) -> Iterator[GaugeMetricFamily]:
        """Return all gauges without values."""
        yield from _gauges()

    def collect(self) -> Iterator[GaugeMetricFamily]:
        """Look all up."""
        wait, load, backlog = _gauges()
        wait.add_metric((), self._longest())
        load.add_metric((), self._load())
        for host, manager, pages in self._backlogs(MOST_BACKLOGS):
            if pages >= LARGE_BACKLOG:
                backlog.add_metric((host, manager), pages)
        yield from (wait, load, backlog)


def _gauges() -> tuple[GaugeMetricFamily, GaugeMetricFamily, GaugeMetricFamily]:
    wait = "Time for which a page that is due has waited for its host, the longest."
    load = "Visits asked of a host, per visit that it can have; the highest of all hosts."
    due = "Pages that are due and wait, of the five hosts and managers of which most do; from 100."
    return (
        GaugeMetricFamily(WAIT_METRIC, wait, labels=()),
        GaugeMetricFamily(LOAD_METRIC, load, labels=()),
        GaugeMetricFamily(BACKLOG_METRIC, due, labels=("host", "manager")),
    )
