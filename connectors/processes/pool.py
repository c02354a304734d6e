"""Which document waits for which: hard ones hold up only each other."""

import asyncio
from collections import OrderedDict
from collections.abc import Callable, Iterable
from contextlib import AsyncExitStack
from typing import Any, Self, TypeVar

from connectors.processes.errors import Busy
from connectors.processes.parent import Processes

T = TypeVar("T")

QUICK_SHARE = 0.2
"""Share of the time allowed that quick work takes at most."""
FREE_PROCESS_TIMEOUT_S = 30.0
"""Seconds that a document waits for a process; one that was quick last time waits longer."""
MAX_WAITING = 100_000_000
"""Bytes that wait at a time."""
_REMEMBERED = 100_000


class ProcessPool:
    """Processes that work on one document each at a time; an async context manager.

    A document whose last work was quick may use all of them. All others share one half,
    so that pages which were made to be slow hold up each other, and new ones, but none
    that is known to be quick.
    """

    def __init__(
        self, processes: int, seconds: float, preload: Iterable[str], begin: Callable[[], None]
    ) -> None:
        """Start ``processes`` when entered; the parameters are those of ``Processes``."""
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

    async def run(self, key: str, size: int, function: Callable[..., T], *arguments: object) -> T:
        """Call in a process a function that can be pickled, and return its result.

        ``key`` is remembered if the work was quick; ``size`` is about that of the
        arguments in bytes. Raises what the function raises, TooHard if it took too much
        time or memory, Busy if no process became free in time, and OSError if the
        processes broke.
        """
        if key in self._quick:
            return await self._run_timed(key, function, arguments)
        await self._wait(size)
        try:
            return await self._run_timed(key, function, arguments)
        finally:
            self._others.release()

    async def _wait(self, size: int) -> None:
        if self._waiting > MAX_WAITING:
            raise Busy
        self._waiting += size
        try:
            async with asyncio.timeout(FREE_PROCESS_TIMEOUT_S):
                await self._others.acquire()
        except TimeoutError:
            raise Busy from None
        finally:
            self._waiting -= size

    async def _run_timed(self, key: str, function: Callable[..., T], arguments: Any) -> T:
        # It has to be quick again to count as quick: an error or a kill leaves it out.
        self._quick.pop(key, None)
        result, seconds = await self._processes.call(function, arguments)
        if seconds <= QUICK_SHARE * self._seconds:
            self._quick[key] = None
            if len(self._quick) > _REMEMBERED:
                self._quick.popitem(last=False)
        return result
