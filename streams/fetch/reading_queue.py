"""Which page is read next: managers and hosts have their turn, quick ones wait for no hard one."""

import asyncio
from collections import OrderedDict
from collections.abc import Awaitable, Callable
from typing import Any, TypeVar

from schemas.urls import host
from streams.core.fetching.due_view import DueView
from streams.fetch.fair_places import FairPlaces
from streams.fetch.put_off import PutOff

T = TypeVar("T")
Call = Callable[[Callable[..., Any], Any], Awaitable[tuple[Any, float]]]
"""Calls a function with arguments in a free process; returns its result and its CPU seconds."""

QUICK_SHARE = 0.2
"""Share of the time allowed that quick work takes at most."""
FREE_PROCESS_TIMEOUT_S = 30.0
"""Seconds that a page waits for a process; one that was quick last time waits longer."""
MAX_WAITING, SMALL = 100_000_000, 100_000
"""Bytes of all pages that wait at a time; a small one may always."""
_REMEMBERED = 100_000


class ReadingQueue:
    """Lets pages be read in a few processes.

    A page of a host whose last one was quick may use all of them. All others share one half
    in turns, so that pages which were made to be slow hold up each other, a new one of
    somebody else for one turn, and none that is known to be quick.
    """

    def __init__(self, call: Call, processes: int, seconds: float) -> None:
        """``call`` works in one of so many processes, each page for so many seconds at most."""
        self._call = call
        self._seconds = seconds
        self._others = FairPlaces(max(1, processes // 2))
        self._quick: OrderedDict[str, None] = OrderedDict()
        self._waiting = 0

    def __len__(self) -> int:
        """The number of pages that wait for a process because they may be hard."""
        return len(self._others)

    async def read(
        self, due: DueView, size: int, function: Callable[..., T], *arguments: object
    ) -> T:
        """Call in a process a function that can be pickled, and return its result.

        ``size`` is about that of the arguments in bytes. Raises what the function and the
        call raise, and PutOff if no process became free in time.
        """
        name = host(due.url)
        if name in self._quick:
            return await self._run_timed(name, function, arguments)
        turn = await self._turn(due, name, size)
        begun = asyncio.get_running_loop().time()
        try:
            return await self._run_timed(name, function, arguments)
        finally:
            self._others.leave(turn, asyncio.get_running_loop().time() - begun)

    async def _turn(self, due: DueView, name: str, size: int) -> Any:
        if size > SMALL and self._waiting + size > MAX_WAITING:
            raise PutOff("other large pages wait to be read")
        self._waiting += size
        try:
            async with asyncio.timeout(FREE_PROCESS_TIMEOUT_S):
                return await self._others.enter(name, due.managers)
        except TimeoutError:
            others = len(self._others)
            reason = f"no process was free to read it in {FREE_PROCESS_TIMEOUT_S:g} s"
            raise PutOff(f"{reason}; {others} other pages wait (VOKTER_PARSERS)") from None
        finally:
            self._waiting -= size

    async def _run_timed(self, name: str, function: Callable[..., T], arguments: Any) -> T:
        # It has to be quick again to count as quick: an error or a kill leaves it out.
        self._quick.pop(name, None)
        result: T
        result, seconds = await self._call(function, arguments)
        if seconds <= QUICK_SHARE * self._seconds:
            self._quick[name] = None
            if len(self._quick) > _REMEMBERED:
                self._quick.popitem(last=False)
        return result
