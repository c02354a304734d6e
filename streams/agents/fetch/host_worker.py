"""The worker of one host: makes the visits of its pages one after another."""

import asyncio
from collections.abc import Awaitable, Callable, Iterator
from contextlib import suppress
from dataclasses import dataclass, field
from itertools import count
from typing import Generic, TypeVar

import structlog

from streams.agents.fetch.politeness.fair_slots import FairSlots, loop_time
from streams.agents.fetch.politeness.host_pages import HostPages, SlowVisits, WaitingPage
from streams.agents.fetch.postponed import Postponed

log = structlog.get_logger()

T = TypeVar("T")

FIRST_RETRY_S, LAST_RETRY_S = 5.0, 300.0
"""Seconds after which a visit that failed for no reason of the page's is repeated."""


@dataclass(eq=False, slots=True)
class Visit(WaitingPage, Generic[T]):
    """A visit of a host for some ``work``.

    ``done`` carries the error, if there was one. ``abandoned`` is set when nobody waits for it
    any more; it was begun ``tries`` times.
    """

    host: str
    work: T
    started: bool = False
    abandoned: bool = False
    tries: int = 0
    done: "asyncio.Future[None]" = field(default_factory=asyncio.Future)


@dataclass(frozen=True, slots=True)
class VisitEffects(Generic[T]):
    """Effects that the workers of all hosts share.

    ``visit`` returns the seconds that the host took to answer, None if it was asked for
    nothing; ``pause`` returns the seconds for which a host is left alone after it was.
    """

    visit: Callable[[T], Awaitable[float | None]]
    pause: Callable[[str], float]
    slots: FairSlots
    slow_pages: SlowVisits = field(default_factory=SlowVisits)
    slow_hosts: SlowVisits = field(default_factory=SlowVisits)
    failed_late: Iterator[int] = field(default_factory=lambda: count(1))


class HostWorker(Generic[T]):
    """Makes the visits of one host's ``pages`` until none waits."""

    def __init__(self, host: str, effects: VisitEffects[T]) -> None:
        self.pages = HostPages[Visit[T]](loop_time())
        self.at_work: Visit[T] | None = None
        self._host = host
        self._effects = effects
        self._changed = asyncio.Event()

    def put(self, visit: Visit[T]) -> None:
        """Let a visit wait; what waits under its key already is replaced."""
        replaced = self.pages.put(visit)
        if replaced is not None:
            replaced.done.set_result(None)
        self._changed.set()

    def cancel(self, key: str, is_meant: Callable[[T], bool]) -> T | None:
        """Let work wait no longer, if it is meant; return it if it waited."""
        visit = self.pages.get(key)
        if visit is None or not is_meant(visit.work):
            return None
        self.pages.drop(key)
        visit.done.set_result(None)
        return visit.work

    def is_at_work(self, key: str) -> bool:
        """Return whether the visit is made now that is known by a key."""
        visit = self.at_work
        return visit is not None and visit.key == key and not visit.done.done()

    async def work(self) -> None:
        """Make all visits."""
        pages, effects = self.pages, self._effects
        while pages:
            if (seconds := pages.seconds_until_ready(loop_time())) > 0:
                self._changed.clear()
                with suppress(TimeoutError):
                    async with asyncio.timeout(seconds):
                        await self._changed.wait()
                continue
            is_slow = self._host in effects.slow_hosts
            turn = await effects.slots.enter(self._host, pages.managers(), is_slow=is_slow)
            begun = loop_time()
            try:
                # Not before there is a slot: newer work may replace it while it waits.
                visit = pages.take(begun)
                if visit is None:
                    continue
                pause = effects.pause(self._host) if await self._make(visit) else 0.0
                ended = loop_time()
                took = ended - begun
                effects.slow_hosts.note(self._host, took, ended)
            finally:
                effects.slots.leave(turn, loop_time() - begun)
            pages.charge(took + pause)
            await asyncio.sleep(pause)

    async def _make(self, visit: Visit[T]) -> bool:
        """Make a visit; returns whether it has asked the host for anything."""
        visit.started, self.at_work = True, visit
        slow_pages = self._effects.slow_pages
        try:
            seconds = await self._effects.visit(visit.work)
            # Not the whole visit: it may have waited for pages of others to be read.
            slow_pages.note(visit.key, seconds or 0.0, loop_time())
            self.pages.hold(visit.key, slow_pages.held_until(visit.key))
        except Postponed:
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
        visit.done.set_result(None)
        return seconds is not None

    def _put_back(self, visit: Visit[T]) -> None:
        """Repeat a visit after a pause, unless newer work waits for the page already."""
        visit.done.set_result(None)
        if self.pages.get(visit.key) is not None:
            return
        now = loop_time()
        ready = now + min(FIRST_RETRY_S * 2**visit.tries, LAST_RETRY_S)
        again = Visit(visit.key, visit.managers, now, ready, visit.host, visit.work)
        again.abandoned, again.tries = True, min(visit.tries + 1, 10)
        self.pages.put(again)
