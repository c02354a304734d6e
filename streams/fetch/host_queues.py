"""One request per host at a time, however many pages wait for it."""

import asyncio
from collections.abc import Awaitable, Callable, Iterable, Sequence
from contextlib import AbstractAsyncContextManager
from dataclasses import dataclass, field
from typing import Generic, TypeVar

import structlog

from streams.core.fetching.host_line import HostLine
from streams.core.fetching.slow_hosts import SlowHosts
from streams.core.fetching.slow_pages import SlowPages
from streams.core.fetching.waiting import why_page_waits
from streams.fetch.fair_places import FairPlaces
from streams.fetch.put_off import PutOff

log = structlog.get_logger()

T = TypeVar("T")

SLOW_SHARE = 10
"""One place for hosts that were slow last time, in addition to so many others."""
FIRST_RETRY_S, LAST_RETRY_S = 5.0, 300.0
"""Seconds after which a visit that failed for no reason of the page's is repeated."""


@dataclass(eq=False, slots=True)
class Visit(Generic[T]):
    """The work on one page in the line of its host; ``done`` carries the error, if there was one.

    ``abandoned`` is set when nobody waits for it any more; it was begun ``tries`` times.
    """

    host: str
    url: str
    work: T
    managers: Sequence[str] = ()
    started: bool = False
    abandoned: bool = False
    tries: int = 0
    done: "asyncio.Future[None]" = field(default_factory=asyncio.Future)


@dataclass(eq=False, slots=True)
class _Host(Generic[T]):
    """The line of a host, and what works on it: the task, and the visit that it makes.

    ``changed`` says that something has come.
    """

    line: HostLine[Visit[T]]
    changed: asyncio.Event
    worker: "asyncio.Task[None] | None" = None
    at_work: Visit[T] | None = None


class HostQueues(Generic[T]):
    """Lines of visits, one per host, each with one worker.

    Hosts that were slow last time share a few places, so that however many there are, the
    other places stay free for other hosts.
    """

    def __init__(
        self,
        visit: Callable[[T], Awaitable[float | None]],
        at_once: int,
        pause: Callable[[str], float] = lambda _: 0.0,
        until_due: Callable[[T], float] = lambda _: 0.0,
    ) -> None:
        """Do each piece of work with ``visit``, at ``at_once`` hosts at a time.

        ``visit`` returns the seconds that the host took to answer, None if it was asked for
        nothing; ``pause`` returns the seconds for which a host is left alone after it was.
        ``until_due`` returns the seconds until a piece of work is due.
        """
        self._visit = visit
        self._pause = pause
        self._until_due = until_due
        self._places = FairPlaces(at_once)
        self._slow_places = FairPlaces(max(1, at_once // SLOW_SHARE))
        self._slow_hosts = SlowHosts()
        self._slow_pages = SlowPages()
        self._hosts: dict[str, _Host[T]] = {}
        self._failed_late = 0

    def __len__(self) -> int:
        """The number of pages that wait for their host."""
        return sum(len(each.line) for each in self._hosts.values())

    @property
    def lines(self) -> Iterable[HostLine[Visit[T]]]:
        """The lines of all hosts for which a page waits or is being fetched."""
        return (each.line for each in self._hosts.values())

    def line(self, host: str) -> HostLine[Visit[T]] | None:
        """Return the line of a host, None if nothing waits for it."""
        found = self._hosts.get(host)
        return None if found is None else found.line

    def add(self, host: str, url: str, work: T, managers: Sequence[str] = ()) -> Visit[T]:
        """Let a page wait for its host; work that it waits for already is replaced."""
        visit = Visit(host, url, work, managers)
        now = asyncio.get_running_loop().time()
        line = self._line(host)
        ready = max(now + self._until_due(work), self._slow_pages.held_until(url))
        older = line.put(url, visit, managers, now=now, ready=ready)
        if older is not None:
            older.done.set_result(None)
        return visit

    async def drop(self, host: str, url: str) -> None:
        """Let a page wait no longer, and return when it is not being visited."""
        own = self._hosts.get(host)
        if own is None:
            return
        self._drop(own, url)
        if own.at_work is not None and own.at_work.url == url:
            await asyncio.wait([own.at_work.done])
            self._drop(own, url)  # the visit may have been put back

    async def wait(self, visits: Iterable[Visit[T]], timeout_s: float | None) -> list[Visit[T]]:
        """Wait for visits; for those that have not started, no longer than ``timeout_s``.

        Returns what has not started by then: it stays in its line, and is repeated if it
        fails. Raises the first error of the others.
        """
        pending = {visit.done: visit for visit in visits}
        if pending:
            await asyncio.wait(pending, timeout=timeout_s)
        started = [done for done, visit in pending.items() if visit.started or done.done()]
        late = [visit for visit in pending.values() if not visit.started and not visit.done.done()]
        for visit in late:
            visit.abandoned = True
        if started:
            await asyncio.wait(started)
        # Every exception is retrieved, or asyncio would report the others as forgotten.
        for error in filter(None, [done.exception() for done in started]):
            raise error
        return late

    def wait_of(self, visit: Visit[T]) -> tuple[float, str] | None:
        """Return for how long (s) a visit waits, and for what; None if it has begun since."""
        own, now = self._hosts.get(visit.host), asyncio.get_running_loop().time()
        page = None if own is None else own.line.get(visit.url)
        if own is None or page is None:
            return None
        if own.at_work is None and len(self._places):
            return now - page.since, "as many hosts are being fetched as may be at once"
        return now - page.since, why_page_waits(own.line, visit.url, now, self._pause(visit.host))

    def longest_wait(self) -> float:
        """Return for how long (s) the page has waited that has waited longest for its host."""
        now = asyncio.get_running_loop().time()
        oldest = (each.line.oldest() for each in self._hosts.values())
        return max((now - since for since in oldest if since is not None), default=0.0)

    def highest_load(self) -> float:
        """Return how much is asked of the busiest host; more than 1 is more than it can have."""
        now = asyncio.get_running_loop().time()
        return max((each.line.load.value(now) for each in self._hosts.values()), default=0.0)

    def clear(self) -> None:
        """Drop everything: another worker does it now."""
        for each in self._hosts.values():
            if each.worker is not None:
                each.worker.cancel()
        self._hosts.clear()

    def _drop(self, own: _Host[T], url: str) -> None:
        dropped = own.line.drop(url)
        if dropped is not None:
            dropped.done.set_result(None)

    def _line(self, host: str) -> HostLine[Visit[T]]:
        """Return the line of a host, with a worker; what is put into it now is seen."""
        found = self._hosts.get(host)
        if found is None:
            line = HostLine[Visit[T]](asyncio.get_running_loop().time())
            found = self._hosts[host] = _Host(line, asyncio.Event())
            found.worker = asyncio.create_task(self._work(host, found))
        found.changed.set()
        return found.line

    async def _work(self, host: str, own: _Host[T]) -> None:
        """Work through the line of a host until it is empty."""
        clock = asyncio.get_running_loop().time
        while own.line:
            if (seconds := own.line.seconds_until_ready(clock())) > 0:
                await _changed_within(own.changed, seconds)
                continue
            async with self._place(host, own.line.managers()):
                # Not before there is a place: newer work may replace it while it waits.
                taken = own.line.take(clock())
                if taken is None:
                    continue
                begun = clock()
                pause = self._pause(host) if await self._do(own, taken[1]) else 0.0
                took = clock() - begun
                self._slow_hosts.note(host, took)
            own.line.charge(took + pause)
            await asyncio.sleep(pause)
        del self._hosts[host]

    def _place(self, host: str, managers: Sequence[str]) -> AbstractAsyncContextManager[None]:
        places = self._slow_places if host in self._slow_hosts else self._places
        return places.place(host, managers)

    async def _do(self, own: _Host[T], visit: Visit[T]) -> bool:
        """Make a visit; returns whether it has asked the host for anything."""
        visit.started, own.at_work = True, visit
        try:
            seconds = await self._visit(visit.work)
        except PutOff:
            self._put_back(own, visit)
            return True
        except Exception as error:  # whoever waits for the visit decides what to do
            if not visit.abandoned:
                visit.done.set_exception(error)
                return True
            self._failed_late += 1
            log.exception("a late visit failed", work=visit.work, failed_so_far=self._failed_late)
            self._put_back(own, visit)
            return True
        # Not the whole visit: it may have waited for pages of others to be read.
        self._slow_pages.note(visit.url, seconds or 0.0, asyncio.get_running_loop().time())
        own.line.hold(visit.url, self._slow_pages.held_until(visit.url))
        visit.done.set_result(None)
        return seconds is not None

    def _put_back(self, own: _Host[T], visit: Visit[T]) -> None:
        """Repeat a visit after a pause, unless newer work waits for the page already."""
        visit.done.set_result(None)
        if own.line.get(visit.url) is not None:
            return
        now = asyncio.get_running_loop().time()
        pause = min(FIRST_RETRY_S * 2**visit.tries, LAST_RETRY_S)
        again = Visit(visit.host, visit.url, visit.work, visit.managers)
        again.abandoned, again.tries = True, min(visit.tries + 1, 10)
        own.line.put(visit.url, again, visit.managers, now=now, ready=now + pause)


async def _changed_within(changed: asyncio.Event, seconds: float) -> None:
    """Wait until something has changed, for so many seconds at most."""
    changed.clear()
    handle = asyncio.get_running_loop().call_later(seconds, changed.set)
    try:
        await changed.wait()
    finally:
        handle.cancel()
