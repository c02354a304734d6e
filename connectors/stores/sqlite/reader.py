"""The thread for reads, and the return of its results to the event loop.

A call of the loop for each result takes about half of the CPU of an executor, with its future, a
second future of the loop, and two calls in between.
"""

import asyncio
from collections.abc import Callable, Sequence
from contextlib import suppress
from queue import SimpleQueue
from threading import Lock, Thread
from typing import Any, TypeVar

T = TypeVar("T")

Work = tuple[Callable[[], Any], "asyncio.Future[Any]"]


class Reader:
    """Does its work item by item in a thread."""

    def __init__(self) -> None:
        """Start the thread."""
        self._queue: SimpleQueue[Work | None] = SimpleQueue()
        self._closing = Lock()
        self._is_closed = False
        # A daemon, so that a process that fails before close() still ends.
        self._thread = Thread(target=self._run, name="sqlite-reader", daemon=True)
        self._thread.start()

    async def compute(self, work: Callable[[], T]) -> T:
        """Return or raise the result of the work; work is not begun if cancelled before.

        Raises RuntimeError after close().
        """
        future: asyncio.Future[T] = asyncio.get_running_loop().create_future()
        with self._closing:
            if self._is_closed:
                raise RuntimeError("the file is closed")
            self._queue.put((work, future))
        return await future

    def close(self) -> None:
        """Finish the waiting work, and end the thread."""
        with self._closing:
            self._is_closed = True
            self._queue.put(None)
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
    hand_over([(future, outcome)])


def hand_over(outcomes: Sequence[tuple["asyncio.Future[Any]", Any]]) -> None:
    """Settle futures of a loop from a thread, each with a result or an error.

    They go on in the same turn of the loop, unless nobody waits for them any more.
    """
    if outcomes:
        future, _ = outcomes[0]
        with suppress(RuntimeError):  # the loop is closed
            future.get_loop().call_soon_threadsafe(_settle, outcomes)


def _settle(outcomes: Sequence[tuple["asyncio.Future[Any]", Any]]) -> None:
    for future, outcome in outcomes:
        if future.done():
            continue
        if isinstance(outcome, Exception):
            future.set_exception(outcome)
        else:
            future.set_result(outcome)
