"""The open file: a thread for reads, and another for writes."""

import asyncio
import sqlite3
from collections.abc import Callable, Coroutine
from contextlib import suppress
from functools import partial, wraps
from typing import Any, Concatenate, ParamSpec, TypeVar

from connectors.stores.errors import StoreUnavailable
from connectors.stores.sqlite.errors import translating
from connectors.stores.sqlite.lock import FileLock
from connectors.stores.sqlite.reader import Reader
from connectors.stores.sqlite.writer import Writer

P = ParamSpec("P")
T = TypeVar("T")
AnyPart = TypeVar("AnyPart", bound="SqlitePart")


class SqliteFile:
    """Two connections, each with its thread, so the event loop waits for no disk."""

    def __init__(
        self, lock: FileLock, writing: sqlite3.Connection, reading: sqlite3.Connection
    ) -> None:
        """Use these connections, and close them in the end."""
        self._lock = lock
        self._connections = (writing, reading)
        self._reading = reading
        self._writer = Writer(writing, lock)
        self._reader = Reader()

    async def read(self, query: Callable[[sqlite3.Connection], T]) -> T:
        """Run a query; all its parts see the same state of the file."""
        return await self.compute(partial(in_transaction, self._reading, query))

    async def write(self, operation: Callable[[sqlite3.Connection], T]) -> T:
        """Run an operation; return its result once the result is on the disk."""
        result: T = await self._writer.write(operation)
        return result

    def write_later(self, operation: Callable[[sqlite3.Connection], object]) -> None:
        """Run an operation with the next operation, or soon; not if the process is killed."""
        self._writer.defer(operation)

    async def settle(self) -> None:
        """Return once all deferred writes are on the disk."""
        await self._writer.write(lambda _: None)

    async def compute(self, work: Callable[[], T]) -> T:
        """Run slow work in the reader's thread."""
        return await self._reader.compute(work)

    async def close(self) -> None:
        """Finish the work under way, and close the file."""
        await asyncio.to_thread(self._close)

    def _close(self) -> None:
        self._writer.close()
        self._reader.close()
        # The last one to close makes a checkpoint; one that cannot is made at the next start.
        with suppress(StoreUnavailable), self._lock.held():
            for connection in self._connections:
                connection.close()
        self._lock.close()


class SqlitePart:
    """A part of a store, on the file of all parts."""

    def __init__(self, file: SqliteFile) -> None:
        """Use this file."""
        self.file = file


def reads(
    query: Callable[Concatenate[AnyPart, sqlite3.Connection, P], T],
) -> Callable[Concatenate[AnyPart, P], Coroutine[Any, Any, T]]:
    """Make a coroutine method of a query, which is run in the reader's thread."""

    @wraps(query)
    async def read(part: AnyPart, /, *args: P.args, **kwargs: P.kwargs) -> T:
        return await part.file.read(lambda connection: query(part, connection, *args, **kwargs))

    return read


def writes(
    operation: Callable[Concatenate[AnyPart, sqlite3.Connection, P], T],
) -> Callable[Concatenate[AnyPart, P], Coroutine[Any, Any, T]]:
    """Make a coroutine method of an operation, which is run in the writer's thread."""

    @wraps(operation)
    async def write(part: AnyPart, /, *args: P.args, **kwargs: P.kwargs) -> T:
        return await part.file.write(
            lambda connection: operation(part, connection, *args, **kwargs)
        )

    return write


def in_transaction(connection: sqlite3.Connection, query: Callable[[sqlite3.Connection], T]) -> T:
    """Run a query in a read transaction; raises the errors of a store."""
    with translating():
        connection.execute("BEGIN")
        try:
            return query(connection)
        finally:
            if connection.in_transaction:
                connection.execute("COMMIT")
