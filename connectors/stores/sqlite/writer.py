"""Group commit: writes that wait at the same time share one transaction.

A commit that survives a power loss costs a sync of the disk, which takes milliseconds. One
thread makes the commits; the writes that arrive meanwhile go into the next one together.
"""

import asyncio
import sqlite3
from collections.abc import Callable
from concurrent.futures import Future
from dataclasses import dataclass, field
from queue import Empty, SimpleQueue
from threading import Thread
from typing import Any

from connectors.stores.sqlite.errors import translated
from connectors.stores.sqlite.lock import FileLock

Operation = Callable[[sqlite3.Connection], Any]

MAX_BATCH = 500


@dataclass(frozen=True, slots=True)
class _Write:
    operation: Operation
    future: Future[Any] = field(default_factory=Future)


class Writer:
    """The only writer of this process: one connection, one thread."""

    def __init__(self, connection: sqlite3.Connection, lock: FileLock) -> None:
        """Start the thread; ``lock`` is held during each transaction."""
        self._connection = connection
        self._lock = lock
        self._queue: SimpleQueue[_Write | None] = SimpleQueue()
        # A daemon, so that a process that fails before close() still ends.
        self._thread = Thread(target=self._run, name="sqlite-writer", daemon=True)
        self._thread.start()

    async def write(self, operation: Operation) -> Any:
        """Run an operation in a transaction; return its result once that is on the disk.

        Raises what the operation raises, and StoreUnavailable if the transaction fails.
        """
        write = _Write(operation)
        self._queue.put(write)
        return await asyncio.wrap_future(write.future)

    def close(self) -> None:
        """Write what is queued, and end the thread."""
        self._queue.put(None)
        self._thread.join()

    def _run(self) -> None:
        while (first := self._queue.get()) is not None:
            batch, last = self._batch(first)
            self._handle([write for write in batch if write.future.set_running_or_notify_cancel()])
            if last:
                return

    def _batch(self, first: _Write) -> tuple[list[_Write], bool]:
        """Collect the writes that wait, and return whether the writer is to end after them."""
        batch = [first]
        while len(batch) < MAX_BATCH:
            try:
                write = self._queue.get_nowait()
            except Empty:
                break
            if write is None:
                return batch, True
            batch.append(write)
        return batch, False

    def _handle(self, batch: list[_Write]) -> None:
        try:
            outcomes = self._commit([write.operation for write in batch])
        except Exception as error:  # noqa: BLE001 - it is raised in every caller
            outcomes = [translated(error)] * len(batch)
        for write, outcome in zip(batch, outcomes, strict=True):
            if isinstance(outcome, Exception):
                write.future.set_exception(outcome)
            else:
                write.future.set_result(outcome)

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
