"""The pages that wait for one host: which is next, how much is asked of it, and which are slow."""

from collections import OrderedDict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import islice
from typing import Generic, TypeVar

from streams.agents.fetch.politeness.fair_share import FairQueue, Turn
from streams.values.ranked_keys import RankedKeys

HELD_BACK_S = 1.0
"""A page that may not be visited for longer than this is no load for its host."""
MEASURED_S = 60.0
"""Seconds after which a load says something: pages that fall due together are no load."""
HALVED_AFTER_S = 600.0
SLOW_VISIT_S = 5.0
"""A visit that takes this many seconds or more counts as slow."""
FIRST_SHARE, LAST_SHARE = 2, 16
"""A slow page is left alone for this many times as long as it took, at first and at last."""
_REMEMBERED = 100_000
_MOST_MANAGERS = 8


@dataclass(eq=False, slots=True)
class WaitingPage:
    """A page that waits under a ``key`` ``since`` a time (s), to be visited from ``ready`` on."""

    key: str
    managers: Sequence[str]
    since: float
    ready: float


P = TypeVar("P", bound=WaitingPage)


class HostLoad:
    """Requests to a host and its answers, those of the last ten minutes above all.

    >>> load = HostLoad(now=0.0)
    >>> for _ in range(120):
    ...     load.asked(60.0)
    >>> for _ in range(60):
    ...     load.served(1.0)
    >>> load.value(60.0)
    2.0
    """

    def __init__(self, now: float) -> None:
        """Begin to measure; times are in seconds."""
        self._since = now
        self._asked = 0.0
        self._served = 0.0
        self._seconds = 0.0

    def asked(self, now: float) -> None:
        """Count a visit that has become due."""
        if now - self._since > HALVED_AFTER_S:
            self._since = now - (now - self._since) / 2
            self._asked, self._served = self._asked / 2, self._served / 2
            self._seconds /= 2
        self._asked += 1

    def served(self, seconds: float) -> None:
        """Count a visit that occupied the host for so long, its pause included."""
        self._served += 1
        self._seconds += seconds

    def value(self, now: float) -> float:
        """Return the seconds of visits that are asked of the host per second.

        More than 1 is more than it can answer. 0 before there is enough to say.
        """
        elapsed = now - self._since
        if elapsed < MEASURED_S or not self._served:
            return 0.0
        return self._asked * self._seconds / self._served / elapsed


class SlowVisits:
    """Pages or hosts that were slow last time: how long each is left alone.

    It is longer with each slow visit in a row: in the end a page that always hangs takes a
    seventeenth of its host's time.

    >>> pages = SlowVisits()
    >>> pages.note("https://example.org/", took=30.0, now=100.0)
    >>> "https://example.org/" in pages, pages.held_until("https://example.org/")
    (True, 160.0)
    """

    def __init__(self) -> None:
        self._slow: OrderedDict[str, tuple[float, int]] = OrderedDict()

    def __contains__(self, key: str) -> bool:
        return key in self._slow

    def note(self, key: str, took: float, now: float) -> None:
        """Note how long (s) the last visit took; times are in seconds."""
        _, share = self._slow.pop(key, (0.0, FIRST_SHARE // 2))
        if took >= SLOW_VISIT_S:
            share = min(2 * share, LAST_SHARE)
            self._slow[key] = now + took * share, share
            if len(self._slow) > _REMEMBERED:
                self._slow.popitem(last=False)

    def held_until(self, key: str) -> float:
        """Return until when (s) a page is to be left alone; 0 if it was not slow."""
        return self._slow.get(key, (0.0, 0))[0]


class HostPages(Generic[P]):
    """The pages that wait for one host. A page keeps its turn while a newer one replaces it.

    Managers are served in turn, by the time that their visits take, and the pages of one in
    the order in which they became ready: a host that cannot keep up slows down all pages
    evenly.

    >>> pages = HostPages[WaitingPage](now=0.0)
    >>> for number in range(3):
    ...     _ = pages.put(WaitingPage(f"/{number}", ["many"], since=0.0, ready=0.0))
    >>> _ = pages.put(WaitingPage("/", ["one"], since=1.0, ready=1.0))
    >>> [page.key for _ in range(2) if (page := pages.take(now=2.0))]
    ['/0', '/']
    """

    def __init__(self, now: float) -> None:
        """Start empty; all times are in seconds of one clock."""
        self.load = HostLoad(now)
        self._pages: dict[str, P] = {}
        self._later = RankedKeys[str]()
        self._ready = FairQueue[str]()
        self._turn: Turn[str] | None = None

    def __len__(self) -> int:
        """The number of pages that wait."""
        return len(self._pages)

    def get(self, key: str) -> P | None:
        """Look up a page that waits."""
        return self._pages.get(key)

    def put(self, page: P) -> P | None:
        """Let a page wait; one that waits under its key already is replaced, and returned.

        The newer one waits as long as that has, and is ready when the sooner of both is.
        """
        if page.ready - page.since <= HELD_BACK_S:
            self.load.asked(page.since)
        replaced = self._pages.get(page.key)
        if replaced is not None:
            page.since, page.ready = replaced.since, min(replaced.ready, page.ready)
        self._pages[page.key] = page
        if page.key in self._ready:
            self._ready.put(page.key, page.managers)
        else:
            self._later.put(page.key, (page.ready,))
        return replaced

    def drop(self, key: str) -> P | None:
        """Let a page wait no longer; returns it, None if it did not wait."""
        self._later.drop(key)
        self._ready.drop(key)
        return self._pages.pop(key, None)

    def hold(self, key: str, until: float) -> None:
        """Leave a page that waits alone until then; it loses its turn."""
        page = self._pages.get(key)
        if page is not None and page.ready < until:
            page.ready = until
            self._ready.drop(key)
            self._later.put(key, (until,))

    def take(self, now: float) -> P | None:
        """Remove and return the next page in turn, None if none is ready."""
        self._wake(now)
        turn = self._ready.take()
        if turn is None:
            return None
        self._turn = turn
        return self._pages.pop(turn.key)

    def charge(self, seconds: float) -> None:
        """Note for how long the host was occupied with the page that was taken last."""
        if self._turn is not None:
            self._ready.charge(self._turn, seconds)
            self.load.served(seconds)

    def seconds_until_ready(self, now: float) -> float:
        """Return the seconds until a page is ready; 0 if one is, or none waits."""
        self._wake(now)
        key = self._later.first()
        return 0.0 if self._ready or key is None else self._pages[key].ready - now

    def managers(self) -> tuple[str, ...]:
        """Return some managers of pages that are ready."""
        return tuple(islice(self._ready.managers, _MOST_MANAGERS))

    def backlogs(self) -> Iterator[tuple[str, int]]:
        """Return how many pages are ready and wait for each manager."""
        return self._ready.lengths()

    def oldest(self) -> float | None:
        """Return since when the page that is ready and has waited longest waits."""
        return min((self._pages[key].since for key in self._ready.heads()), default=None)

    def wait_reason(self, key: str, now: float, pause: float) -> str:
        """Return, for people, for what a page waits; ``pause`` (s) is that between two requests."""
        if self._pages[key].ready > now + HELD_BACK_S:
            return "the last visit took long, so other pages of its host go first"
        load = self.load.value(now)
        if load > 1:
            every = f"one every {pause:g} s" if pause else "one at a time"
            return f"its host is asked for {load:.1f} times as many visits as it can have, {every}"
        return "other pages of its host"

    def _wake(self, now: float) -> None:
        """Let those join their managers' lines that have become ready."""
        while (key := self._later.first()) is not None and self._pages[key].ready <= now:
            self._later.drop(key)
            self._ready.put(key, self._pages[key].managers)
