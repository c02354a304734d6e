"""Work on strangers' documents: who waits for whom, so that hard ones hold up each other only."""

import asyncio
from collections import OrderedDict
from collections.abc import Callable, Iterable
from contextlib import AsyncExitStack
from typing import Any, Self, TypeVar

from connectors.processes import Processes

T = TypeVar("T")

QUICK = 0.2
"""Share of the time allowed that quick work takes at most."""
PATIENCE = 30.0
"""Seconds that a document waits for a process; one that was quick last time waits for its turn."""
ROOM = 100_000_000
"""Bytes that wait at a time."""
_REMEMBERED = 100_000


class Busy(Exception):
    """There was no process free in time; nothing is wrong with the document."""


class ProcessPool:
    """Processes that work on one document each at a time; an async context manager.

    Whose last work was quick finds all of them. All others share one half, so that
    pages that were made to be slow hold up each other, and new ones, but no known one.
    """

    def __init__(
        self, processes: int, seconds: float, preload: Iterable[str], begin: Callable[[], None]
    ) -> None:
        """Take what ``Processes`` takes."""
        self._seconds = seconds
        self._processes = Processes(processes, seconds, preload, begin)
        self._others = asyncio.Semaphore(max(1, processes // 2))
        self._quick: OrderedDict[str, None] = OrderedDict()
        self._waiting = 0
        self._stack = AsyncExitStack()

    async def __aenter__(self) -> Self:
        await self._stack.enter_async_context(self._processes)
        return self

    async def __aexit__(self, *_: object) -> None:
        await self._stack.aclose()

    async def run(self, who: str, size: int, function: Callable[..., T], *arguments: object) -> T:
        """Have a process call a function that can be pickled, and give what it gives.

        ``who`` is remembered when it was quick; ``size`` is about that of the arguments in
        bytes. Raises what the function raises, TooHard if it took too much time or memory,
        Busy if no process was to be had in time, and OSError if the processes broke.
        """
        if who in self._quick:
            return await self._timed(who, function, arguments)
        await self._wait(size)
        try:
            return await self._timed(who, function, arguments)
        finally:
            self._others.release()

    async def _wait(self, size: int) -> None:
        if self._waiting > ROOM:
            raise Busy
        self._waiting += size
        try:
            async with asyncio.timeout(PATIENCE):
                await self._others.acquire()
        except TimeoutError:
            raise Busy from None
        finally:
            self._waiting -= size

    async def _timed(self, who: str, function: Callable[..., T], arguments: Any) -> T:
        self._quick.pop(who, None)
        result, seconds = await self._processes.call(function, arguments)
        if seconds <= QUICK * self._seconds:
            self._quick[who] = None
            if len(self._quick) > _REMEMBERED:
                self._quick.popitem(last=False)
        return result
