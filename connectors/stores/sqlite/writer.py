"""Group commit: simultaneous writes share a transaction.

A commit with a sync of the disk takes milliseconds. A thread makes the commits. Writes of a turn of
the event loop, or during a commit, go into the next commit together, with all deferred writes.
"""

import asyncio
import sqlite3
from collections import deque
from collections.abc import Callable
from dataclasses import dataclass
from queue import SimpleQueue
from threading import Lock, Thread
from typing import Any

from connectors.stores.sqlite.errors import translated
from connectors.stores.sqlite.lock import FileLock
from connectors.stores.sqlite.reader import hand_over

Operation = Callable[[sqlite3.Connection], Any]

MAX_BATCH = 500
DEFERRED_S = 0.25
"""Seconds until deferred writes are written without another write."""


@dataclass(frozen=True, slots=True)
class _Write:
    """An operation, and who waits for its result, if anybody does."""

    operation: Operation
    future: "asyncio.Future[Any] | None" = None


class Writer:
    """The only writer of this process: a connection and a thread."""

    def __init__(self, connection: sqlite3.Connection, lock: FileLock) -> None:
        """Start the thread; ``lock`` is held during each transaction."""
        self._connection = connection
        self._lock = lock
        self._waiting: deque[_Write] = deque()
        self._signals: SimpleQueue[bool] = SimpleQueue()
        """Wake up the thread for waiting writes; False is the last signal."""
        self._closing = Lock()
        self._is_closed = False
        self._is_signalled = False
        self._timer: asyncio.TimerHandle | None = None
        # A daemon, so that a process that fails before close() still ends.
        self._thread = Thread(target=self._run, name="sqlite-writer", daemon=True)
        self._thread.start()

    async def write(self, operation: Operation) -> Any:
        """Run an operation in a transaction; return its result once the result is on the disk.

        Raises the error of the operation, StoreUnavailable if the transaction fails, and
        RuntimeError after close().
        """
        loop = asyncio.get_running_loop()
        future: asyncio.Future[Any] = loop.create_future()
        self._put(_Write(operation, future))
        # The thread would begin with the first of those that come in this turn of the loop.
        if not self._is_signalled:
            self._is_signalled = True
            loop.call_soon(self._signal)
        return await future

    def defer(self, operation: Operation) -> None:
        """Run an operation with the next write, or in a moment if there is none.

        If the process is killed before, the operation is lost; its own errors pass unnoticed. A
        failed transaction is repeated. Each commit takes all along, so only operations since the
        last commit wait. Raises RuntimeError after close().
        """
        self._put(_Write(operation))
        self._flush_later()

    def close(self) -> None:
        """Write all waiting operations, and end the thread."""
        with self._closing:
            self._is_closed = True
        self._signals.put(False)
        self._thread.join()

    def _put(self, write: _Write) -> None:
        with self._closing:
            if self._is_closed:
                raise RuntimeError("the file is closed")
            self._waiting.append(write)

    def _signal(self) -> None:
        self._is_signalled = False
        self._signals.put(True)

    def _flush_later(self) -> None:
        # The thread sleeps until then: to wake it for each operation costs as much as to run it.
        if self._timer is None:
            self._timer = asyncio.get_running_loop().call_later(DEFERRED_S, self._flush)

    def _flush(self) -> None:
        self._timer = None
        if self._waiting and not self._is_closed:
            self._signals.put(True)
            self._flush_later()

    def _run(self) -> None:
        is_open = True
        while is_open:
            is_open = self._signals.get()
            left = len(self._waiting)  # no more than waits now: what fails waits again
            while left:
                count = min(MAX_BATCH, left)
                self._handle([self._waiting.popleft() for _ in range(count)])
                left -= count

    def _handle(self, batch: list[_Write]) -> None:
        batch = [each for each in batch if not (each.future and each.future.cancelled())]
        try:
            outcomes = self._commit([write.operation for write in batch])
        except Exception as error:  # noqa: BLE001 - it is raised in every caller
            self._waiting.extendleft(write for write in reversed(batch) if write.future is None)
            outcomes = [translated(error)] * len(batch)
        awaited = zip((write.future for write in batch), outcomes, strict=True)
        hand_over([(future, outcome) for future, outcome in awaited if future is not None])

    def _commit(self, operations: list[Operation]) -> list[Any]:
        # SQLite's own locks would be enough, but releases before 3.51.3 have a bug: a
        # commit and a checkpoint at the same instant can ruin the file
        # (https://www.sqlite.org/wal.html#walresetbug).
        with self._lock.held():
            try:
                self._connection.execute("BEGIN IMMEDIATE")
                outcomes = [_attempt(self._connection, operation) for operation in operations]
                self._connection.execute("COMMIT")
            except Exception:
                if self._connection.in_transaction:
                    self._connection.execute("ROLLBACK")
                raise
        return outcomes


def _attempt(connection: sqlite3.Connection, operation: Operation) -> Any:
    """Run an operation in a savepoint; an error becomes its outcome, and undoes only its writes."""
    connection.execute("SAVEPOINT operation")
    try:
        outcome = operation(connection)
    except Exception as error:
        if not connection.in_transaction:  # SQLite has rolled back the others too
            raise
        connection.execute("ROLLBACK TO operation")
        outcome = translated(error)
    connection.execute("RELEASE operation")
    return outcome
