"""One visit per host at a time, however many pages wait for it."""

import asyncio
from collections import Counter
from collections.abc import Awaitable, Callable, Collection, Iterable, Sequence
from heapq import nlargest
from operator import attrgetter
from typing import Generic, NamedTuple, TypeVar

import structlog

from streams.agents.fetch.host_worker import HostWorker, Visit, VisitEffects
from streams.agents.fetch.politeness.fair_slots import FairSlots, loop_time

log = structlog.get_logger()

T = TypeVar("T")

SLOW_SHARE = 10
"""One slot for hosts that were slow last time, in addition to so many others."""
AGAIN_S = 5.0
"""Seconds after which the worker of a host goes on after an error of its queue."""
AWAITED, AWAITED_OF_HOST = 500, 20
"""Visits that are waited for at a time: as many of any hosts, and so many more of each host.

A worker has a thousand commands in hand at most. Without these limits those of one host of which
more is asked than it can serve would be all of them, and stand before every other page."""


class HostBacklog(NamedTuple):
    """So many pages wait for their host that a manager watches."""

    host: str
    manager: str
    pages: int


class HostQueues(Generic[T]):
    """The pages that wait for each host, and a worker for each."""

    def __init__(
        self,
        visit: Callable[[T], Awaitable[float | None]],
        hosts_at_once: int,
        pause: Callable[[str], float] = lambda _: 0.0,
        until_due: Callable[[T], float] = lambda _: 0.0,
    ) -> None:
        """Visit so many hosts at a time, and a tenth more that were slow last time.

        ``visit`` and ``pause`` are as in VisitEffects; ``until_due`` returns the seconds until
        work is due.
        """
        slots = FairSlots(hosts_at_once, max(1, hosts_at_once // SLOW_SHARE))
        self._until_due = until_due
        self._effects = VisitEffects(visit, pause, slots)
        self._hosts: dict[str, HostWorker[T]] = {}
        self._tasks: dict[str, asyncio.Task[None]] = {}
        self._awaited = Counter[str]()
        """Visits that are waited for, by host."""

    def __len__(self) -> int:
        """The number of pages that wait for their host."""
        return sum(len(each.pages) for each in self._hosts.values())

    def waiting(self, host: str, key: str) -> Visit[T] | None:
        """Return what waits for a host under a key."""
        own = self._hosts.get(host)
        return None if own is None else own.pages.get(key)

    def has(self, host: str, key: str) -> bool:
        """Return whether something waits for a host under a key, or is being done."""
        own = self._hosts.get(host)
        return own is not None and (own.pages.get(key) is not None or own.is_at_work(key))

    def add(self, host: str, key: str, work: T, managers: Sequence[str] = ()) -> Visit[T]:
        """Let work wait for a host; what waits under its key already is replaced."""
        now = loop_time()
        ready = max(now + self._until_due(work), self._effects.slow_pages.held_until(key))
        visit = Visit(key, managers, now, ready, host, work)
        if host not in self._hosts:
            own = self._hosts[host] = HostWorker(host, self._effects)
            self._tasks[host] = asyncio.create_task(self._work(host, own))
        self._hosts[host].put(visit)
        return visit

    def cancel(self, host: str, key: str, is_meant: Callable[[T], bool]) -> T | None:
        """Let work wait no longer, if it is meant, and return it; what has begun goes on."""
        own = self._hosts.get(host)
        return None if own is None else own.cancel(key, is_meant)

    async def drop(self, host: str, keys: Collection[str], is_meant: Callable[[T], bool]) -> None:
        """Let work under some keys wait no longer, if it is meant.

        Returns when the visit has ended that was made for one of them at the beginning.
        """
        own = self._hosts.get(host)
        if own is None:
            return
        # All at once: what is taken while this waits may wait for this.
        for key in keys:
            own.cancel(key, is_meant)
        at_work = own.at_work
        if at_work is not None and at_work.key in keys:
            await asyncio.wait([at_work.done])
            own.cancel(at_work.key, is_meant)  # the visit may have been put back

    async def wait(self, visits: Iterable[Visit[T]], timeout_s: float | None) -> list[Visit[T]]:
        """Wait for visits; for those that have not started, no longer than ``timeout_s``.

        Those of a host of which too many are waited for already are not waited for. Returns what
        has not started by then: it stays in its line, and is repeated if it fails. Raises the
        first error of the others.
        """
        every = list(dict.fromkeys(visits))
        pending = {visit.done: visit for visit in every if self._begin_to_wait(visit)}
        try:
            if pending:
                await asyncio.wait(pending, timeout=timeout_s)
            late = [visit for visit in every if not visit.started and not visit.done.done()]
            for visit in late:
                visit.abandoned = True
            started = [done for done, visit in pending.items() if visit.started or done.done()]
            if started:
                await asyncio.wait(started)
        finally:
            for visit in pending.values():
                self._end_to_wait(visit)
        # Every exception is retrieved, or asyncio would report the others as forgotten.
        for error in filter(None, [done.exception() for done in started]):
            raise error
        return late

    def _begin_to_wait(self, visit: Visit[T]) -> bool:
        of_host = self._awaited[visit.host]
        if of_host >= AWAITED_OF_HOST and self._awaited.total() >= AWAITED:
            return False
        self._awaited[visit.host] = of_host + 1
        return True

    def _end_to_wait(self, visit: Visit[T]) -> None:
        self._awaited[visit.host] -= 1
        if not self._awaited[visit.host]:
            del self._awaited[visit.host]

    def wait_of(self, visit: Visit[T]) -> tuple[float, str] | None:
        """Return for how long (s) a visit waits, and for what; None if it has begun since."""
        own, page = self._hosts.get(visit.host), self.waiting(visit.host, visit.key)
        if own is None or page is None:
            return None
        now = loop_time()
        if own.at_work is None and self._effects.slots.waiting():
            return now - page.since, "as many hosts are being fetched as may be at once"
        pause = self._effects.pause(visit.host)
        return now - page.since, own.pages.wait_reason(visit.key, now, pause)

    def longest_wait(self) -> float:
        """Return for how long (s) the page has waited that has waited longest for its host."""
        oldest = (each.pages.oldest() for each in self._hosts.values())
        return max((loop_time() - since for since in oldest if since is not None), default=0.0)

    def highest_load(self) -> float:
        """Return how much is asked of the busiest host; more than 1 is more than it can have."""
        loads = (each.pages.load.value(loop_time()) for each in self._hosts.values())
        return max(loads, default=0.0)

    def largest_backlogs(self, count: int) -> list[HostBacklog]:
        """Return so many hosts and managers of which most pages wait, and how many wait."""
        backlogs = (
            HostBacklog(host, manager, pages)
            for host, own in self._hosts.items()
            for manager, pages in own.pages.backlogs()
        )
        return nlargest(count, backlogs, key=attrgetter("pages"))

    def clear(self) -> None:
        """Drop everything: another worker does it now."""
        for task in self._tasks.values():
            task.cancel()
        self._hosts.clear()
        self._tasks.clear()

    async def _work(self, host: str, own: HostWorker[T]) -> None:
        while own.pages:
            try:
                await own.work()
            except Exception:
                # Not of a visit: a worker that has ended would leave its host alone for good.
                log.exception("the pages of a host wait, for an error of its queue", host=host)
                await asyncio.sleep(AGAIN_S)
        # Nothing can come in between: the line is empty, and nobody waits.
        del self._hosts[host], self._tasks[host]
