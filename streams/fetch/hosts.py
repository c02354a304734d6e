"""One request per host at a time, however many URLs wait for it."""

import asyncio
from collections.abc import Awaitable, Callable, Iterable
from dataclasses import dataclass, field
from typing import Generic, TypeVar

import structlog

log = structlog.get_logger()

T = TypeVar("T")

SLOW = 5.0
"""Seconds from which on a visit counts as slow."""
SLOW_SHARE = 10
"""One of so many places is for hosts that were slow last time."""
_REMEMBERED = 100_000


@dataclass(eq=False, slots=True)
class Visit(Generic[T]):
    """One URL's work on its host; ``done`` carries the error, if there was one.

    ``left`` is set when nobody waits for it any more.
    """

    work: T
    started: bool = False
    left: bool = False
    done: "asyncio.Future[None]" = field(default_factory=asyncio.Future)


class Hosts(Generic[T]):
    """Lines of work, one per host and with one worker each.

    Hosts that were slow last time have a few places of their own, so that any number of
    them leaves the others theirs.
    """

    def __init__(
        self,
        visit: Callable[[T], Awaitable[None]],
        at_once: int,
        pause: Callable[[str], float] = lambda _: 0.0,
        early: Callable[[T], float] = lambda _: 0.0,
    ) -> None:
        """``visit`` does one piece of work; ``at_once`` hosts are visited at a time.

        ``pause`` gives the seconds that a host is left alone after a visit, ``early``
        those until the next piece of work is due.
        """
        self._visit = visit
        self._pause = pause
        self._early = early
        self._room = asyncio.Semaphore(at_once)
        self._slow_room = asyncio.Semaphore(max(1, at_once // SLOW_SHARE))
        self._slow: dict[str, None] = {}
        self._lines: dict[str, dict[str, Visit[T]]] = {}
        self._workers: dict[str, asyncio.Task[None]] = {}
        self._lost = 0

    def __len__(self) -> int:
        """The number of pieces of work that wait for their host."""
        return sum(map(len, self._lines.values()))

    def add(self, host: str, url: str, work: T, *, first: bool = False) -> Visit[T]:
        """Put work in line; what still waits for the same URL is replaced by it.

        ``first`` puts it before all that waits for the host.
        """
        visit = Visit(work)
        line = self._lines.setdefault(host, {})
        older = line.pop(url, None)
        if older is not None:
            older.done.set_result(None)
        others = dict(line) if first else {}
        for other in others:
            del line[other]
        line[url] = visit
        line.update(others)
        if host not in self._workers:
            self._workers[host] = asyncio.create_task(self._work(host))
        return visit

    async def wait(self, visits: Iterable[Visit[T]], patience: float | None) -> None:
        """Wait for visits, but for one that has not begun only ``patience`` s, if given.

        What has not begun by then stays in line, and its error would only be
        logged. Raises the first error of the others.
        """
        pending = {visit.done: visit for visit in visits}
        if pending:
            await asyncio.wait(pending, timeout=patience)
        begun = [done for done, visit in pending.items() if visit.started or done.done()]
        for visit in pending.values():
            visit.left = visit.done not in begun
        if begun:
            await asyncio.wait(begun)
        for error in filter(None, [done.exception() for done in begun]):
            raise error

    def clear(self) -> None:
        """Drop everything: another worker does it now."""
        for worker in self._workers.values():
            worker.cancel()
        self._workers.clear()
        self._lines.clear()

    async def _work(self, host: str) -> None:
        line = self._lines[host]
        while line:
            if (early := self._early(next(iter(line.values())).work)) > 0:
                await asyncio.sleep(early)
            async with self._slow_room if host in self._slow else self._room:
                visit = line.pop(next(iter(line)))
                visit.started = True
                begun = asyncio.get_running_loop().time()
                await self._do(visit)
                self._remember(host, asyncio.get_running_loop().time() - begun)
            await asyncio.sleep(self._pause(host))
        del self._lines[host], self._workers[host]

    def _remember(self, host: str, seconds: float) -> None:
        self._slow.pop(host, None)
        if seconds >= SLOW:
            self._slow[host] = None
            if len(self._slow) > _REMEMBERED:
                del self._slow[next(iter(self._slow))]

    async def _do(self, visit: Visit[T]) -> None:
        try:
            await self._visit(visit.work)
        except Exception as error:  # whoever waits for it decides what to do
            if visit.left:
                self._lost += 1
                log.exception("a late visit failed", work=visit.work, failed_so_far=self._lost)
                visit.done.set_result(None)
            else:
                visit.done.set_exception(error)
        else:
            visit.done.set_result(None)
