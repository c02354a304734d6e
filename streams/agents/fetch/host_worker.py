"""The worker of one host: makes the visits of its line one after another."""

import asyncio
from collections.abc import Awaitable, Callable, Iterator, Sequence
from dataclasses import dataclass, field
from itertools import count
from typing import Generic, TypeVar

import structlog

from streams.agents.fetch.politeness.host_line import HostLine
from streams.agents.fetch.politeness.host_places import HostPlaces
from streams.agents.fetch.politeness.slow_pages import SlowPages
from streams.agents.fetch.put_off import PutOff

log = structlog.get_logger()

T = TypeVar("T")

FIRST_RETRY_S, LAST_RETRY_S = 5.0, 300.0
"""Seconds after which a visit that failed for no reason of the page's is repeated."""


@dataclass(eq=False, slots=True)
class Visit(Generic[T]):
    """A piece of work in the line of its host, where it is known by its ``key``.

    ``done`` carries the error, if there was one. ``abandoned`` is set when nobody waits for it
    any more; it was begun ``tries`` times.
    """

    host: str
    key: str
    work: T
    managers: Sequence[str] = ()
    started: bool = False
    abandoned: bool = False
    tries: int = 0
    done: "asyncio.Future[None]" = field(default_factory=asyncio.Future)


@dataclass(frozen=True, slots=True)
class VisitEffects(Generic[T]):
    """What the workers of all hosts share.

    ``visit`` returns the seconds that the host took to answer, None if it was asked for
    nothing; ``pause`` returns the seconds for which a host is left alone after it was.
    """

    visit: Callable[[T], Awaitable[float | None]]
    pause: Callable[[str], float]
    places: HostPlaces
    slow_pages: SlowPages = field(default_factory=SlowPages)
    failed_late: Iterator[int] = field(default_factory=lambda: count(1))


class HostWorker(Generic[T]):
    """Makes the visits of one host's ``line`` until it is empty."""

    def __init__(self, host: str, effects: VisitEffects[T]) -> None:
        """Begin with an empty line."""
        self.line = HostLine[Visit[T]](_now())
        self.at_work: Visit[T] | None = None
        self._host = host
        self._effects = effects
        self._changed = asyncio.Event()

    def put(self, visit: Visit[T], now: float, ready: float) -> None:
        """Let work wait until it is ``ready``; what waits under its key already is replaced."""
        older = self.line.put(visit.key, visit, visit.managers, now=now, ready=ready)
        if older is not None:
            older.done.set_result(None)
        self._changed.set()

    def cancel(self, key: str, is_meant: Callable[[T], bool]) -> T | None:
        """Let a piece of work wait no longer, if it is meant; return it if it waited."""
        waiting = self.line.get(key)
        if waiting is None or not is_meant(waiting.work.work):
            return None
        self.line.drop(key)
        waiting.work.done.set_result(None)
        return waiting.work.work

    async def work(self) -> None:
        """Work through the line."""
        line, effects = self.line, self._effects
        while line:
            if (seconds := line.seconds_until_ready(_now())) > 0:
                await _changed_within(self._changed, seconds)
                continue
            async with effects.places.place(self._host, line.managers()):
                # Not before there is a place: newer work may replace it while it waits.
                taken = line.take(_now())
                if taken is None:
                    continue
                begun = _now()
                pause = effects.pause(self._host) if await self._do(taken[1]) else 0.0
                took = _now() - begun
                effects.places.note(self._host, took)
            line.charge(took + pause)
            await asyncio.sleep(pause)

    async def _do(self, visit: Visit[T]) -> bool:
        """Make a visit; returns whether it has asked the host for anything."""
        visit.started, self.at_work = True, visit
        try:
            seconds = await self._effects.visit(visit.work)
        except PutOff:
            self._put_back(visit)
            return True
        except Exception as error:  # the caller that waits for the visit decides what to do
            if not visit.abandoned:
                visit.done.set_exception(error)
                return True
            failed = next(self._effects.failed_late)
            log.exception("a late visit failed", work=visit.work, failed_so_far=failed)
            self._put_back(visit)
            return True
        # Not the whole visit: it may have waited for pages of others to be read.
        slow_pages = self._effects.slow_pages
        slow_pages.note(visit.key, seconds or 0.0, _now())
        self.line.hold(visit.key, slow_pages.held_until(visit.key))
        visit.done.set_result(None)
        return seconds is not None

    def _put_back(self, visit: Visit[T]) -> None:
        """Repeat a visit after a pause, unless newer work waits for the page already."""
        visit.done.set_result(None)
        if self.line.get(visit.key) is not None:
            return
        now = _now()
        pause = min(FIRST_RETRY_S * 2**visit.tries, LAST_RETRY_S)
        again = Visit(visit.host, visit.key, visit.work, visit.managers)
        again.abandoned, again.tries = True, min(visit.tries + 1, 10)
        self.line.put(visit.key, again, visit.managers, now=now, ready=now + pause)


async def _changed_within(changed: asyncio.Event, seconds: float) -> None:
    """Wait until something has changed, for so many seconds at most."""
    changed.clear()
    handle = asyncio.get_running_loop().call_later(seconds, changed.set)
    try:
        await changed.wait()
    finally:
        handle.cancel()


def _now() -> float:
    return asyncio.get_running_loop().time()
