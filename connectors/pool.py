"""Work on strangers' documents, in processes that may be killed."""

import asyncio
import multiprocessing
import resource
import signal
import sys
import time
from collections import OrderedDict
from collections.abc import Callable, Iterable
from concurrent.futures import BrokenExecutor
from typing import Any, Self, TypeVar

from pebble import ProcessExpired, ProcessPool

T = TypeVar("T")

TASKS = 1_000
"""After so many a process makes way for a new one, whatever it has piled up."""
MEMORY = 2 * 2**30
"""Bytes of address space of a process, where the system can bound it."""
QUICK = 0.2
"""Share of the time allowed that quick work takes at most."""
PATIENCE = 30.0
"""Seconds that a document waits for a process; one that was quick last time waits for its turn."""
ROOM = 100_000_000
"""Bytes that wait at a time."""
_REMEMBERED = 100_000


class TooHard(Exception):
    """Work on a document had to be ended; the text is a short reason for people."""


class Busy(Exception):
    """There was no process free in time; nothing is wrong with the document."""


class Pool:
    """Processes that work on one document each at a time; an async context manager.

    Whose last work was quick finds all of them. All others share one half, so that
    pages that were made to be slow hold up each other, and new ones, but no known one.
    """

    def __init__(
        self, processes: int, seconds: float, preload: Iterable[str], begin: Callable[[], None]
    ) -> None:
        """Kill what takes longer than ``seconds``.

        ``preload`` names modules that are imported once for all processes; each calls
        ``begin``, which can be pickled, before its first work.
        """
        self._processes = processes
        self._seconds = seconds
        self._begin = begin
        # A fork server's children have none of our threads, locks and open files.
        self._context = multiprocessing.get_context("forkserver")
        self._context.set_forkserver_preload([__name__, *preload])
        self._others = asyncio.Semaphore(max(1, processes // 2))
        self._quick: OrderedDict[str, None] = OrderedDict()
        self._waiting = 0
        self._mending = asyncio.Lock()
        self._is_open = True

    async def __aenter__(self) -> Self:
        self._pool = await asyncio.to_thread(self._opened)
        return self

    async def __aexit__(self, *_: object) -> None:
        async with self._mending:
            self._is_open = False
            await asyncio.to_thread(_close, self._pool)

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
        result, seconds = await self._sent(function, arguments)
        if seconds <= QUICK * self._seconds:
            self._quick[who] = None
            if len(self._quick) > _REMEMBERED:
                self._quick.popitem(last=False)
        return result

    async def _sent(self, function: Callable[..., T], arguments: Any) -> tuple[T, float]:
        pool = self._pool
        try:
            future = pool.schedule(_within, (self._seconds, function, arguments))
            return await asyncio.wrap_future(future)
        except ProcessExpired as error:
            raise TooHard(self._why(error.exitcode)) from error
        except MemoryError as error:
            raise TooHard("it takes too much memory to be read") from error
        except (BrokenExecutor, RuntimeError) as error:
            if pool.active:
                raise
            await self._mend(pool)
            raise OSError("the processes that read documents have broken") from error

    def _why(self, status: int) -> str:
        if status == -signal.SIGALRM:
            return f"it takes longer than {self._seconds:g} s to be read"
        return f"what reads it was ended by it ({status})"

    async def _mend(self, broken: ProcessPool) -> None:
        async with self._mending:
            if self._is_open and self._pool is broken:
                self._pool = await asyncio.to_thread(self._opened)
                await asyncio.to_thread(_close, broken)

    def _opened(self) -> ProcessPool:
        pool = ProcessPool(self._processes, TASKS, _settle, (self._begin,), self._context)
        assert pool.active, "asking for it starts it"
        return pool


def _close(pool: ProcessPool) -> None:
    pool.stop()  # type: ignore[no-untyped-call]  # it gives nothing
    pool.join()


def _settle(begin: Callable[[], None]) -> None:
    """Prepare a process to be ended at any moment, by nothing that has to wait for Python."""
    signal.signal(signal.SIGTERM, signal.SIG_DFL)
    if sys.platform == "linux":
        resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY))
    begin()


def _within(seconds: float, function: Callable[..., T], arguments: Any) -> tuple[T, float]:
    """Call a function and give the seconds that it took, too.

    The system's own alarm ends a process that takes too long: that works in the midst
    of a parser, for an orphan, and without the locks that the processes share.
    """
    begun = time.monotonic()
    signal.setitimer(signal.ITIMER_REAL, seconds)
    try:
        return function(*arguments), time.monotonic() - begun
    except (SystemExit, KeyboardInterrupt) as error:  # a plug-in may raise anything
        raise TooHard(f"its reader ended with {error!r}") from None
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
