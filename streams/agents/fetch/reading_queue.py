"""Choose the page to read next: managers and hosts take turns, quick ones wait for no hard one."""

import asyncio
from collections import OrderedDict
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from typing import Any, TypeVar

from schemas.records.urls import host
from streams.agents.fetch.due_view import DueView
from streams.agents.fetch.politeness.fair_line import Turn
from streams.agents.fetch.politeness.fair_places import FairPlaces
from streams.agents.fetch.put_off import PutOff

T = TypeVar("T")
Call = Callable[[Callable[..., Any], Any], Awaitable[tuple[Any, float]]]
"""Calls a function with arguments in a free process; returns its result and its CPU seconds."""

QUICK_SHARE = 0.2
"""Share of the time allowed that quick work takes at most."""
FREE_PROCESS_TIMEOUT_S = 30.0
"""Seconds that a page waits for a process."""
MAX_WAITING, SMALL = 100_000_000, 100_000
"""Bytes of all pages that wait in a line at a time; a small one may always."""
_REMEMBERED = 100_000


@dataclass(slots=True)
class _Line:
    """Pages that wait for some of the processes; they have so many ``bytes``."""

    places: FairPlaces
    bytes: int = 0


class ReadingQueue:
    """Lets pages be read in a few processes.

    Pages of hosts with a quick last page share all of them in turns, all others one half.
    So pages which were made to be slow hold up each other, and one of somebody else for one
    turn; while they are known to be slow, they hold up none that is known to be quick.
    """

    def __init__(self, call: Call, processes: int, seconds: float) -> None:
        """``call`` works in one of so many processes, each page for so many seconds at most."""
        self._call = call
        self._seconds = seconds
        self._quick_pages = _Line(FairPlaces(processes))
        self._others = _Line(FairPlaces(max(1, processes // 2)))
        self._quick: OrderedDict[str, None] = OrderedDict()

    def __len__(self) -> int:
        """The number of pages that wait for a process."""
        return len(self._quick_pages.places) + len(self._others.places)

    async def read(
        self, due: DueView, size: int, function: Callable[..., T], *arguments: object
    ) -> T:
        """Call in a process a function that can be pickled, and return its result.

        ``size`` is about that of the arguments in bytes. Raises what the function and the
        call raise, and PutOff if no process became free in time.
        """
        name = host(due.url)
        # A host may have been quick only to be let in before others: it has turns, too.
        line = self._quick_pages if name in self._quick else self._others
        turn = await _enter(line, due, name, size)
        begun = asyncio.get_running_loop().time()
        try:
            return await self._run_timed(name, function, arguments)
        finally:
            line.places.leave(turn, asyncio.get_running_loop().time() - begun)

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


async def _enter(line: _Line, due: DueView, name: str, size: int) -> Turn:
    if size > SMALL and line.bytes + size > MAX_WAITING:
        raise PutOff("other large pages wait to be read")
    line.bytes += size
    try:
        async with asyncio.timeout(FREE_PROCESS_TIMEOUT_S):
            return await line.places.enter(name, due.managers)
    except TimeoutError:
        reason = f"no process was free to read it in {FREE_PROCESS_TIMEOUT_S:g} s"
        others = len(line.places)
        raise PutOff(f"{reason}; {others} other pages wait (VOKTER_PARSERS)") from None
    finally:
        line.bytes -= size
