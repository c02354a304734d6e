"""The thread that reads, and how a thread's results come back to the event loop.

One call of the loop for each result takes about half of the CPU that an executor does, which makes
one future, a second one of the loop that follows it, and two calls between them.
"""

import asyncio
from collections.abc import Callable
from contextlib import suppress
from threading import Thread
from typing import Any, TypeVar

from connectors.stores.sqlite.work_queue import WorkQueue

T = TypeVar("T")

Work = tuple[Callable[[], Any], "asyncio.Future[Any]"]


class Reader:
    """Does one piece of work after another in a thread."""

    def __init__(self) -> None:
        """Start the thread."""
        self._queue = WorkQueue[Work]()
        # A daemon, so that a process that fails before close() still ends.
        self._thread = Thread(target=self._run, name="sqlite-reader", daemon=True)
        self._thread.start()

    async def compute(self, work: Callable[[], T]) -> T:
        """Return what work returns, or raise what it raises; not begun if it is given up before.

        Raises RuntimeError after close().
        """
        future: asyncio.Future[T] = asyncio.get_running_loop().create_future()
        self._queue.put((work, future))
        return await future

    def close(self) -> None:
        """Finish what waits, and end the thread."""
        self._queue.close()
        self._thread.join()

    def _run(self) -> None:
        while (job := self._queue.get()) is not None:
            _do(*job)
            del job  # a page is not held until the next one is read


def _do(work: Callable[[], Any], future: "asyncio.Future[Any]") -> None:
    if future.cancelled():
        return
    try:
        outcome = work()
    except Exception as error:  # noqa: BLE001 - it is raised where its result is awaited
        outcome = error
    hand_over(future, outcome)


def hand_over(future: "asyncio.Future[Any]", outcome: Any) -> None:
    """Settle a future from a thread, with a result or an error, unless nobody waits any more."""
    with suppress(RuntimeError):  # the loop is closed
        future.get_loop().call_soon_threadsafe(_settle, future, outcome)


def _settle(future: "asyncio.Future[Any]", outcome: Any) -> None:
    if future.done():
        return
    if isinstance(outcome, Exception):
        future.set_exception(outcome)
    else:
        future.set_result(outcome)
