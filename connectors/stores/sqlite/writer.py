"""Group commit: writes that wait at the same time share one transaction.

A commit that survives a power loss costs a sync of the disk, which takes milliseconds. One
thread makes the commits; the writes that arrive meanwhile go into the next one together, and so
do those that nobody waits for.
"""

import asyncio
import sqlite3
from collections import deque
from collections.abc import Callable
from dataclasses import dataclass
from queue import Empty
from threading import Thread
from typing import Any

from connectors.stores.sqlite.errors import translated
from connectors.stores.sqlite.lock import FileLock
from connectors.stores.sqlite.reader import hand_over
from connectors.stores.sqlite.work_queue import WorkQueue

Operation = Callable[[sqlite3.Connection], Any]

MAX_BATCH = 500
DEFERRED_S = 0.25
"""Seconds after which what nobody waits for is written even if no other write takes it along."""


@dataclass(frozen=True, slots=True)
class _Write:
    """An operation, and who waits for its result, if anybody does."""

    operation: Operation
    future: "asyncio.Future[Any] | None" = None


class Writer:
    """The only writer of this process: one connection, one thread."""

    def __init__(self, connection: sqlite3.Connection, lock: FileLock) -> None:
        """Start the thread; ``lock`` is held during each transaction."""
        self._connection = connection
        self._lock = lock
        self._queue = WorkQueue[_Write]()
        self._deferred: deque[Operation] = deque()
        self._timer: asyncio.TimerHandle | None = None
        # A daemon, so that a process that fails before close() still ends.
        self._thread = Thread(target=self._run, name="sqlite-writer", daemon=True)
        self._thread.start()

    async def write(self, operation: Operation) -> Any:
        """Run an operation in a transaction; return its result once that is on the disk.

        Raises what the operation raises, StoreUnavailable if the transaction fails, and
        RuntimeError after close().
        """
        future: asyncio.Future[Any] = asyncio.get_running_loop().create_future()
        self._queue.put(_Write(operation, future))
        return await future

    def defer(self, operation: Operation) -> None:
        """Run an operation with the next write, or in a moment if there is none.

        A process that is killed before has not run it, and its own errors pass unnoticed. A
        transaction that fails is repeated. Each commit takes all along, so that no more wait
        than were deferred since the last one.
        """
        self._deferred.append(operation)
        self._flush_later()

    def close(self) -> None:
        """Write what is queued or deferred, and end the thread."""
        self._queue.close()
        self._thread.join()

    def _flush_later(self) -> None:
        # The thread sleeps until then: to wake it for each operation costs as much as to run it.
        if self._timer is None:
            self._timer = asyncio.get_running_loop().call_later(DEFERRED_S, self._flush)

    def _flush(self) -> None:
        self._timer = None
        if self._deferred and not self._queue.is_closed:
            self._queue.put(_Write(lambda _: None))
            self._flush_later()

    def _run(self) -> None:
        is_last = False
        while not is_last:
            batch, is_last = self._batch()
            self._handle([each for each in batch if not (each.future and each.future.cancelled())])

    def _batch(self) -> tuple[list[_Write], bool]:
        """Wait for a write, and collect all that wait.

        Returns whether the writer is to end after them.
        """
        batch: list[_Write] = []
        write = self._queue.get()
        while write is not None:
            batch.append(write)
            if len(batch) == MAX_BATCH:
                return batch, False
            try:
                write = self._queue.get_nowait()
            except Empty:
                return batch, False
        return batch, True

    def _handle(self, batch: list[_Write]) -> None:
        deferred = [self._deferred.popleft() for _ in range(len(self._deferred))]
        try:
            outcomes = self._commit([*deferred, *(write.operation for write in batch)])
        except Exception as error:  # noqa: BLE001 - it is raised in every caller
            self._deferred.extendleft(reversed(deferred))
            outcomes = [translated(error)] * (len(deferred) + len(batch))
        for write, outcome in zip(batch, outcomes[len(deferred) :], strict=True):
            if write.future is not None:
                hand_over(write.future, outcome)

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
    """Run one operation in a savepoint; an error becomes its outcome, and undoes only it."""
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
