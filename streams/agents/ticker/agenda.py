"""The memory that the ticker has of a partition: its watches, by when they are due."""

from collections.abc import Iterator
from heapq import heapify, heappop, heappush
from itertools import chain

from schemas.codec import wire
from schemas.records.fetches import Due
from schemas.records.table_rows import Scheduled, TickedThrough
from streams.agents.ticker.host_paces import HostPaces
from streams.values.slots import hold_back_ms, newest_slot, next_slot

THROUGH_KEY = b"\0through"
"""Table key of the time that was ticked through; a URL's row has the URL as its key.

It sorts before every URL, so it is loaded first."""
MAX_LOOKED_AT = 2_000
"""Planned times that one call looks at: after a downtime, a million may be due at once."""
MIN_REBUILT = 1_000
"""Entries below which the heap is not rebuilt to drop those of changed watches."""
LONGEST_PLANNED_MS = 300_000
"""After this time it is computed again how often a page is commanded that shares its host: the
others may be gone."""


class Agenda:
    """The watches of one partition, and the time up to which they were ticked through.

    agenda = Agenda()
    agenda.put(Scheduled(url, watch, since=0))
    list(agenda.tick(60_000))  # the fetch that is due in the first minute
    """

    def __init__(self, paces: HostPaces | None = None) -> None:
        """Start empty, with no time ticked through; ``paces`` are those of the whole worker."""
        self._paces = paces or HostPaces()
        self.through = 0
        self.stored = 0
        """The time in the row of the table."""
        self._watches: dict[str, Scheduled] = {}
        self._planned: dict[str, int] = {}
        self._checks: dict[str, int] = {}
        """The visits to come that clients asked for."""
        self._next: list[tuple[int, str]] = []
        self._puts = 0
        self._comparisons = 0
        self._latest: dict[str, int] = {}
        """The number of the last put of a URL; noted only while something is compared."""

    def __len__(self) -> int:
        """Count the watches."""
        return len(self._watches)

    @property
    def entries(self) -> int:
        """Count the planned times, those of changed and removed watches included."""
        return len(self._next)

    def load(self, key: bytes, value: bytes) -> None:
        """Load a row of the table."""
        if key == THROUGH_KEY:
            self.through = self.stored = wire.decode(value, TickedThrough).time
        else:
            self.put(wire.decode(value, Scheduled))

    def get(self, url: str) -> Scheduled | None:
        """Return the watch of a URL, None if there is none."""
        return self._watches.get(url)

    def urls(self) -> list[str]:
        """Return the URLs that are watched."""
        return list(self._watches)

    def put(self, scheduled: Scheduled) -> None:
        """Add or replace the watch of a URL; a paused one is never due."""
        self._paces.replace(self._watches.get(scheduled.url), scheduled)
        self._watches[scheduled.url] = scheduled
        self._puts += 1
        if self._comparisons:
            self._latest[scheduled.url] = self._puts
        if scheduled.watch.paused:
            self._unplan(scheduled.url)
        else:
            self._plan(scheduled, scheduled.since)
            if scheduled.check:
                self._plan_check(scheduled)

    def drop(self, url: str) -> None:
        """Remove the watch of a URL."""
        self._paces.replace(self._watches.pop(url, None), None)
        self._unplan(url)

    def tick(self, time: int) -> Iterator[Due]:
        """Yield what has fallen due since the last tick: only the newest slot of each URL.

        If more has fallen due than one call looks at, ``through`` stays, and a further call
        with the same ``time`` goes on.
        """
        for _ in range(MAX_LOOKED_AT):
            if not self._next or self._next[0][0] > time:
                self.through = time
                return
            due, url = heappop(self._next)
            scheduled = self._watches.get(url)
            is_check = bool(self._checks) and self._checks.get(url) == due
            if is_check and scheduled is not None:
                del self._checks[url]
                yield visit_of(scheduled, scheduled.check)
            if scheduled is None or self._planned.get(url) != due:
                continue  # planned before the watch was changed or removed
            watch = scheduled.watch
            held_back = hold_back_ms(watch.interval)
            slot = newest_slot(url, self._paces.interval_of(scheduled), time - held_back)
            self._plan(scheduled, time - held_back)
            if slot > self.through - held_back and not is_check:
                yield visit_of(scheduled, slot, watch.interval)

    def pass_by(self, time: int) -> bool:
        """Tick through to a time (ms) if nothing is due until then; returns whether that is so.

        It leaves no row: what is ticked through again after a restart is nothing.
        """
        if self._next and self._next[0][0] <= time:
            return False
        self.through = max(self.through, time)
        return True

    def begin_comparison(self) -> int:
        """Begin to note which watches are put; return what ``is_put_since`` asks for."""
        self._comparisons += 1
        return self._puts

    def is_put_since(self, begun: int, url: str) -> bool:
        """Return whether the watch of a URL was put since a comparison began."""
        return self._latest.get(url, 0) > begun

    def end_comparison(self) -> None:
        """Forget what was put during comparisons, if this was the last one."""
        self._comparisons -= 1
        if not self._comparisons:
            self._latest.clear()

    def turn_back(self, time: int) -> None:
        """Go on from an earlier time (ms): the clock was wrong, and is right again."""
        self.through, self.stored = time, 0
        self._next.clear()
        for scheduled in self._watches.values():
            if not scheduled.watch.paused:
                self._plan(scheduled, time)
                self._plan_check(scheduled)

    def _unplan(self, url: str) -> None:
        self._planned.pop(url, None)
        self._checks.pop(url, None)

    def _plan_check(self, scheduled: Scheduled) -> None:
        """Plan the visit that a client asked for, unless it was commanded already."""
        if scheduled.check > self.through:
            self._checks[scheduled.url] = scheduled.check
            heappush(self._next, (scheduled.check, scheduled.url))

    def _plan(self, scheduled: Scheduled, after: int) -> None:
        # All up to ``through`` was commanded, so a restart must not look at it again.
        url, interval = scheduled.url, scheduled.watch.interval
        held_back = hold_back_ms(interval)
        begin = max(after, self.through - held_back)
        paced = self._paces.interval_of(scheduled)
        slot = next_slot(url, paced, begin)
        if paced > interval:
            slot = min(slot, next_slot(url, interval, begin + LONGEST_PLANNED_MS))
        due = slot + held_back
        self._planned[url] = due
        heappush(self._next, (due, url))
        # Every change of a watch leaves an entry, which may not be due for a day.
        if len(self._next) > 2 * len(self._planned) + MIN_REBUILT:
            planned = chain(self._planned.items(), self._checks.items())
            self._next = [(due, url) for url, due in planned]
            heapify(self._next)


def visit_of(scheduled: Scheduled, slot: int, interval: int | None = None) -> Due:
    """Return a visit of a page; without an interval, neither failures nor slowness postpone it."""
    watch = scheduled.watch
    return Due(
        scheduled.url,
        watch.id,
        slot,
        watch.views,
        watch.managers,
        interval,
        max_interval=watch.max_interval,
    )
