"""Choose the page to read next: managers and hosts take turns, quick ones wait for no hard one."""

import asyncio
from collections import OrderedDict
from collections.abc import Awaitable, Callable
from typing import Any, TypeVar

from schemas.records.urls import host
from streams.agents.fetch.due_view import DueView
from streams.agents.fetch.politeness.fair_share import Ticket, Turn
from streams.agents.fetch.politeness.fair_slots import FairSlots, loop_time
from streams.agents.fetch.postponed import Postponed

T = TypeVar("T")
Call = Callable[[Callable[..., Any], Any], Awaitable[tuple[Any, float]]]
"""Calls a function with arguments in a free process; returns its result and its CPU seconds."""

QUICK_SHARE = 0.2
"""Share of the time allowed that quick work takes at most."""
FREE_PROCESS_TIMEOUT_S = 30.0
"""Seconds that a page waits for a process."""
MAX_WAITING, SMALL = 100_000_000, 100_000
"""Bytes of all quick pages, or all others, that wait at a time; a small one may always."""
_REMEMBERED = 100_000


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
        self._slots = FairSlots(processes, max(1, processes // 2))
        self._bytes = {True: 0, False: 0}
        """Of the pages that wait: of those that are not known to be quick, and of the others."""
        self._quick: OrderedDict[str, None] = OrderedDict()

    def __len__(self) -> int:
        """The number of pages that wait for a process."""
        return self._slots.waiting(is_slow=False) + self._slots.waiting(is_slow=True)

    async def read(
        self, due: DueView, size: int, function: Callable[..., T], *arguments: object
    ) -> T:
        """Call in a process a function that can be pickled, and return its result.

        ``size`` is about that of the arguments in bytes. Raises what the function and the
        call raise, and Postponed if no process became free in time.
        """
        name = host(due.url)
        turn = await self._enter(due, name, size)
        begun = loop_time()
        try:
            # It has to be quick again to count as quick: an error or a kill leaves it out.
            self._quick.pop(name, None)
            result: T
            result, seconds = await self._call(function, arguments)
            if seconds <= QUICK_SHARE * self._seconds:
                self._quick[name] = None
                if len(self._quick) > _REMEMBERED:
                    self._quick.popitem(last=False)
            return result
        finally:
            self._slots.leave(turn, loop_time() - begun)

    async def _enter(self, due: DueView, name: str, size: int) -> Turn[Ticket]:
        # A host may have been quick only to be let in before others: it has turns, too.
        is_slow = name not in self._quick
        if size > SMALL and self._bytes[is_slow] + size > MAX_WAITING:
            raise Postponed("other large pages wait to be read")
        self._bytes[is_slow] += size
        try:
            async with asyncio.timeout(FREE_PROCESS_TIMEOUT_S):
                return await self._slots.enter(name, due.managers, is_slow=is_slow)
        except TimeoutError:
            reason = f"no process was free to read it in {FREE_PROCESS_TIMEOUT_S:g} s"
            others = self._slots.waiting(is_slow=is_slow)
            raise Postponed(f"{reason}; {others} other pages wait (VOKTER_PARSERS)") from None
        finally:
            self._bytes[is_slow] -= size
