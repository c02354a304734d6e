"""What schedule keeps in memory of a partition: its watches, by when they are due."""

from collections.abc import Iterator
from heapq import heappop, heappush

from schemas import wire
from schemas.facts import Due
from schemas.state import Scheduled, TickedThrough
from streams.core.schedule.due import newest_slot, next_slot

THROUGH_KEY = b"\0through"
"""Table key of the time that was ticked through; a URL's row has the URL as its key."""


class Agenda:
    """The watches of one partition, and the time up to which they were ticked through.

    agenda = Agenda()
    agenda.put(Scheduled(url, watch, since=0))
    list(agenda.tick(60_000))  # the fetch that is due in the first minute
    """

    def __init__(self) -> None:
        """Start empty, with no time ticked through."""
        self.through = 0
        self._watches: dict[str, Scheduled] = {}
        self._planned: dict[str, int] = {}
        self._next: list[tuple[int, str]] = []

    def __len__(self) -> int:
        """Count the watches."""
        return len(self._watches)

    def load(self, key: bytes, value: bytes) -> None:
        """Load one row of the table."""
        if key == THROUGH_KEY:
            self.through = wire.decode(value, TickedThrough).time
        else:
            self.put(wire.decode(value, Scheduled))

    def get(self, url: str) -> Scheduled | None:
        """Return the watch of a URL, None if there is none."""
        return self._watches.get(url)

    def put(self, scheduled: Scheduled) -> None:
        """Add or replace the watch of a URL; a paused one is never due."""
        self._watches[scheduled.url] = scheduled
        if scheduled.watch.paused:
            self._planned.pop(scheduled.url, None)
        else:
            self._plan(scheduled, scheduled.since)

    def drop(self, url: str) -> None:
        """Remove the watch of a URL."""
        self._watches.pop(url, None)
        self._planned.pop(url, None)

    def tick(self, time: int) -> Iterator[Due]:
        """Yield what has fallen due since the last tick: only the newest slot of each URL."""
        while self._next and self._next[0][0] <= time:
            due, url = heappop(self._next)
            scheduled = self._watches.get(url)
            if scheduled is None or self._planned.get(url) != due:
                continue  # planned before the watch was changed or removed
            watch = scheduled.watch
            slot = newest_slot(url, watch.interval, time)
            self._plan(scheduled, time)
            if slot > self.through:
                yield Due(url, watch.id, slot, watch.content_type)
        self.through = time

    def turn_back(self, time: int) -> None:
        """Go on from an earlier time (ms): the clock was wrong, and is right again."""
        self.through = time
        self._next.clear()
        for scheduled in self._watches.values():
            if not scheduled.watch.paused:
                self._plan(scheduled, time)

    def _plan(self, scheduled: Scheduled, after: int) -> None:
        due = next_slot(scheduled.url, scheduled.watch.interval, after)
        self._planned[scheduled.url] = due
        heappush(self._next, (due, scheduled.url))
