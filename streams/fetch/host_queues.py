"""One request per host at a time, however many URLs wait for it."""

import asyncio
from collections.abc import Awaitable, Callable, Iterable
from dataclasses import dataclass, field
from typing import Generic, TypeVar

import structlog

log = structlog.get_logger()

T = TypeVar("T")

SLOW_VISIT_S = 5.0
"""A visit that takes this many seconds or more counts as slow."""
SLOW_SHARE = 10
"""Of so many places, one is for hosts that were slow last time."""
_REMEMBERED = 100_000


@dataclass(eq=False, slots=True)
class Visit(Generic[T]):
    """One URL's work in the queue of its host; ``done`` carries the error, if there was one.

    ``abandoned`` is set when nobody waits for it any more.
    """

    work: T
    started: bool = False
    abandoned: bool = False
    done: "asyncio.Future[None]" = field(default_factory=asyncio.Future)


class HostQueues(Generic[T]):
    """Queues of work, one per host, each with one worker.

    Hosts that were slow last time share a few places, so that however many there are, the
    other places stay free for other hosts.
    """

    def __init__(
        self,
        visit: Callable[[T], Awaitable[None]],
        at_once: int,
        pause: Callable[[str], float] = lambda _: 0.0,
        until_due: Callable[[T], float] = lambda _: 0.0,
    ) -> None:
        """Do each piece of work with ``visit``, at ``at_once`` hosts at a time.

        ``pause`` returns the seconds for which a host is left alone after a visit,
        ``until_due`` those until a piece of work is due.
        """
        self._visit = visit
        self._pause = pause
        self._until_due = until_due
        self._places = asyncio.Semaphore(at_once)
        self._slow_places = asyncio.Semaphore(max(1, at_once // SLOW_SHARE))
        self._slow: dict[str, None] = {}
        self._queues: dict[str, dict[str, Visit[T]]] = {}
        self._workers: dict[str, asyncio.Task[None]] = {}
        self._failed_late = 0

    def __len__(self) -> int:
        """The number of pieces of work that wait for their host."""
        return sum(map(len, self._queues.values()))

    def add(self, host: str, url: str, work: T, *, first: bool = False) -> Visit[T]:
        """Queue work; it replaces what still waits for the same URL.

        ``first`` puts it before everything that waits for the host.
        """
        visit = Visit(work)
        queue = self._queues.setdefault(host, {})
        older = queue.pop(url, None)
        if older is not None:
            older.done.set_result(None)
        others = dict(queue) if first else {}
        for other in others:
            del queue[other]
        queue[url] = visit
        queue.update(others)
        if host not in self._workers:
            self._workers[host] = asyncio.create_task(self._work(host))
        return visit

    async def wait(self, visits: Iterable[Visit[T]], timeout_s: float | None) -> None:
        """Wait for visits; for those that have not started, no longer than ``timeout_s``.

        What has not started by then stays in its queue, and its error would only be
        logged. Raises the first error of the others.
        """
        pending = {visit.done: visit for visit in visits}
        if pending:
            await asyncio.wait(pending, timeout=timeout_s)
        started = [done for done, visit in pending.items() if visit.started or done.done()]
        for visit in pending.values():
            visit.abandoned = visit.done not in started
        if started:
            await asyncio.wait(started)
        # Every exception is retrieved, or asyncio would report the others as forgotten.
        for error in filter(None, [done.exception() for done in started]):
            raise error

    def clear(self) -> None:
        """Drop everything: another worker does it now."""
        for worker in self._workers.values():
            worker.cancel()
        self._workers.clear()
        self._queues.clear()

    async def _work(self, host: str) -> None:
        """Work through the queue of a host until it is empty."""
        queue = self._queues[host]
        while queue:
            if (seconds := self._until_due(next(iter(queue.values())).work)) > 0:
                await asyncio.sleep(seconds)
            async with self._slow_places if host in self._slow else self._places:
                # Not before there is a place: newer work may replace it while it waits.
                visit = queue.pop(next(iter(queue)))
                visit.started = True
                begun = asyncio.get_running_loop().time()
                await self._do(visit)
                self._remember(host, asyncio.get_running_loop().time() - begun)
            await asyncio.sleep(self._pause(host))
        del self._queues[host], self._workers[host]

    def _remember(self, host: str, seconds: float) -> None:
        self._slow.pop(host, None)
        if seconds >= SLOW_VISIT_S:
            self._slow[host] = None
            if len(self._slow) > _REMEMBERED:
                del self._slow[next(iter(self._slow))]

    async def _do(self, visit: Visit[T]) -> None:
        try:
            await self._visit(visit.work)
        except Exception as error:  # whoever waits for the visit decides what to do
            if visit.abandoned:
                self._failed_late += 1
                log.exception(
                    "a late visit failed", work=visit.work, failed_so_far=self._failed_late
                )
                visit.done.set_result(None)
            else:
                visit.done.set_exception(error)
        else:
            visit.done.set_result(None)
