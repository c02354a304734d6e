"""The pages that wait for one host, and which of them is next."""

from collections import OrderedDict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from heapq import heappop, heappush
from itertools import islice
from typing import Generic, TypeVar

from streams.agents.fetch.politeness.fair_line import NOBODY
from streams.agents.fetch.politeness.host_load import HostLoad
from streams.agents.fetch.politeness.turns import FairTurns

T = TypeVar("T")

HELD_BACK_S = 1.0
"""A page that may not be visited for longer than this is no load for its host."""
_FEW = 64
_MOST_MANAGERS = 8


@dataclass(slots=True)
class WaitingPage(Generic[T]):
    """A page that waits ``since`` a time (s), and may be visited from ``ready`` on."""

    work: T
    managers: Sequence[str]
    since: float
    ready: float
    is_ready: bool = False


class HostLine(Generic[T]):
    """The pages that wait for one host. A page keeps its place while newer work replaces it.

    Managers are served in turn, by the time that their visits take, and the pages of one in
    the order in which they became ready: a host that cannot keep up slows down all pages
    evenly. A page of several managers is served at whichever's turn comes first.

    >>> line = HostLine[str](now=0.0)
    >>> for number in range(3):
    ...     _ = line.put(f"/{number}", f"slot {number}", ["many"], now=0.0, ready=0.0)
    >>> _ = line.put("/", "slot 1", ["one"], now=1.0, ready=1.0)
    >>> [line.take(now=2.0) for _ in range(2) if line.charge(1.0) is None]
    [('/0', 'slot 0'), ('/', 'slot 1')]
    """

    def __init__(self, now: float) -> None:
        """Start empty; all times are in seconds of one clock."""
        self.load = HostLoad(now)
        self._pages: dict[str, WaitingPage[T]] = {}
        self._lines: OrderedDict[str, OrderedDict[str, None]] = OrderedDict()
        self._later: list[tuple[float, str]] = []
        self._turns = FairTurns()
        self._served = NOBODY[0]

    def __len__(self) -> int:
        """The number of pages that wait."""
        return len(self._pages)

    def get(self, url: str) -> WaitingPage[T] | None:
        """Look up a page that waits."""
        return self._pages.get(url)

    def put(
        self, url: str, work: T, managers: Sequence[str], *, now: float, ready: float
    ) -> T | None:
        """Let a page wait from ``now`` on, to be visited from ``ready`` on; of two, the sooner.

        Returns the work that this one replaces.
        """
        managers = managers or NOBODY
        if ready - now <= HELD_BACK_S:
            self.load.asked(now)
        page = self._pages.get(url)
        if page is None:
            self._pages[url] = WaitingPage(work, managers, now, ready)
            self._plan(ready, url)
            return None
        replaced, page.work = page.work, work
        if page.is_ready:
            self._leave(url, set(page.managers) - set(managers))
            self._join(url, managers)
        elif ready < page.ready:
            page.ready = ready
            self._plan(ready, url)
        page.managers = managers
        return replaced

    def drop(self, url: str) -> T | None:
        """Let a page wait no longer; returns its work, None if it did not wait."""
        dropped = self._remove(url)
        return None if dropped is None else dropped.work

    def hold(self, url: str, until: float) -> None:
        """Leave a page that waits alone until then; it keeps nothing but its work."""
        page = self._pages.get(url)
        if page is not None and page.ready < until:
            self._leave(url, page.managers)
            page.is_ready, page.ready = False, until
            self._plan(until, url)

    def take(self, now: float) -> tuple[str, T] | None:
        """Remove the next page in turn, and return it with its work; None if none is ready."""
        self._wake(now)
        if self._lines:
            self._served = self._turns.next_of(self._lines)
            url = next(iter(self._lines[self._served]))
        else:
            return None
        page = self._remove(url)
        assert page is not None, "what is in a line waits"
        return url, page.work

    def charge(self, seconds: float) -> None:
        """Note for how long the host was occupied with the page that was taken last."""
        self._turns.charge(self._served, seconds)
        self.load.served(seconds)

    def seconds_until_ready(self, now: float) -> float:
        """Return the seconds until a page is ready; 0 if one is, or none waits."""
        self._wake(now)
        if self._lines or not self._later:
            return 0.0
        return self._later[0][0] - now

    def managers(self) -> tuple[str, ...]:
        """Return some managers of pages that are ready."""
        return tuple(islice(self._lines, _MOST_MANAGERS))

    def oldest(self) -> float | None:
        """Return since when the page that is ready and has waited longest waits."""
        heads = (self._pages[next(iter(line))].since for line in self._lines.values())
        return min(heads, default=None)

    def _plan(self, ready: float, url: str) -> None:
        heappush(self._later, (ready, url))
        # A page that has become ready sooner, or was removed, leaves an entry.
        if len(self._later) > 2 * len(self._pages) + _FEW:
            waiting = ((page.ready, url) for url, page in self._pages.items() if not page.is_ready)
            self._later = sorted(waiting)

    def _wake(self, now: float) -> None:
        """Let those join their managers' lines that have become ready."""
        while self._later:
            ready, url = self._later[0]
            page = self._pages.get(url)
            is_current = page is not None and not page.is_ready and page.ready == ready
            if is_current and ready > now:
                return
            heappop(self._later)
            if page is not None and is_current:
                page.is_ready = True
                self._join(url, page.managers)

    def _join(self, url: str, managers: Iterable[str]) -> None:
        for manager in managers:
            self._lines.setdefault(manager, OrderedDict())[url] = None

    def _leave(self, url: str, managers: Iterable[str]) -> None:
        for manager in managers:
            line = self._lines.get(manager)
            if line is not None:
                line.pop(url, None)
                if not line:
                    del self._lines[manager]

    def _remove(self, url: str) -> WaitingPage[T] | None:
        page = self._pages.pop(url, None)
        if page is not None:
            self._leave(url, page.managers)
        return page
