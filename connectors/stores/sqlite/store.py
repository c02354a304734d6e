"""The SQLite store: each of its methods, and the thread that does the work."""

import asyncio
import sqlite3
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, closing
from functools import partial
from pathlib import Path
from typing import Any, Self, TypeVar

from connectors.stores.base import Listed, ListingPage, Told
from connectors.stores.sqlite import copying, history, listing, snapshots, texts
from connectors.stores.sqlite.database import connect, migrate
from connectors.stores.sqlite.errors import translating
from connectors.stores.sqlite.lock import FileLock
from connectors.stores.sqlite.machine import Machine, claim, this_machine
from connectors.stores.sqlite.writer import Writer
from connectors.stores.tables import Key, Row, Table
from schemas.documents import Document, Snapshot, Unpublished
from schemas.facts import DocumentChanged, Fact

T = TypeVar("T")


class SqliteStore:
    """A Store in one file, open in as many processes of one machine as there are."""

    def __init__(
        self,
        lock: FileLock,
        writing: sqlite3.Connection,
        reading: sqlite3.Connection,
        place: str,
        former: int = 0,
    ) -> None:
        self.place = place
        self._former = former
        (self.identity,) = reading.execute("SELECT id FROM identity").fetchone()
        self._lock = lock
        self._connections = (writing, reading)
        self._reading = reading
        self._writer = Writer(writing, lock)
        self._reader = ThreadPoolExecutor(1, "sqlite-reader")

    @classmethod
    def open(cls, path: Path, machine: Machine | None = None, former: int = 0) -> Self:
        """Open the file, and create it when it is missing; ``machine`` is this one.

        Of each document ``former`` snapshots are kept when they are replaced.

        Raises StoreRefused for another machine's file, a later release's, or
        one that is not SQLite's; StoreUnavailable when it cannot be opened now.
        """
        path = path.expanduser()
        with translating(f"the SQLite store {path}"), ExitStack() as opened:
            path.parent.mkdir(parents=True, exist_ok=True)
            lock = opened.enter_context(closing(FileLock(path.with_name(path.name + ".machine"))))
            with lock.held() as owner:
                claim(owner, machine or this_machine(), path)
                writing = opened.enter_context(closing(connect(path)))
                migrate(writing, path)
                reading = opened.enter_context(closing(connect(path)))
            opened.pop_all()
            place = f"{path.absolute()} on {this_machine().name}"
            return cls(lock, writing, reading, place, former)

    async def document(self, url: str) -> Document | None:
        """See Store."""
        return await self._read(partial(snapshots.read, url=url))

    async def compare_and_set(self, document: Document, expected_version: int) -> bool:
        """See Store."""
        values = await self._aside(partial(snapshots.row, document))
        return bool(
            await self._writer.write(
                partial(
                    snapshots.compare_and_set,
                    values=values,
                    records=document.unpublished,
                    expected_version=expected_version,
                    count=self._former,
                )
            )
        )

    async def clear_unpublished(self, url: str, version: int) -> bool:
        """See Store."""
        clear = partial(snapshots.clear_unpublished, url=url, version=version)
        return bool(await self._writer.write(clear))

    async def unpublished(self) -> list[Unpublished]:
        """See Store."""
        return await self._read(snapshots.unpublished)

    async def forget(self, url: str, watch: str) -> None:
        """See Store."""
        forget = partial(snapshots.forget, url=url, watch=watch, count=self._former)
        await self._writer.write(forget)

    async def record_checks(self, checks: Sequence[tuple[str, str, int]]) -> None:
        """See Store."""
        await self._writer.write(partial(snapshots.record_checks, checks=checks))

    async def record(self, facts: Sequence[Fact]) -> None:
        """See Store."""
        operations = await self._aside(partial(history.operations, facts))
        await self._writer.write(lambda connection: [do(connection) for do in operations])

    async def subscriptions(
        self, manager: str, after: str | None, limit: int
    ) -> ListingPage[Listed]:
        """See Store."""
        query = partial(listing.subscriptions, manager=manager, after=after, limit=limit)
        return await self._read(query)

    async def subscription(self, manager: str, name: str) -> Listed | None:
        """See Store."""
        return await self._read(partial(listing.subscription, manager=manager, name=name))

    async def changes(
        self, manager: str, url: str, after: str | None, limit: int
    ) -> ListingPage[Any] | None:
        """See Store."""
        query = partial(listing.changes, manager=manager, url=url, after=after, limit=limit)
        return await self._read(query)

    async def told(
        self, kind: Told, manager: str, client: str, after: str | None, limit: int
    ) -> ListingPage[Any]:
        """See Store."""
        query = partial(
            listing.told, kind=kind, manager=manager, client=client, after=after, limit=limit
        )
        return await self._read(query)

    async def documents(
        self, manager: str, after: str | None, limit: int
    ) -> ListingPage[tuple[str, Snapshot | None]]:
        """See Store."""
        return await self._read(partial(texts.documents, manager=manager, after=after, limit=limit))

    async def snapshots(
        self, manager: str, url: str, after: str | None, limit: int
    ) -> ListingPage[Snapshot] | None:
        """See Store."""
        query = partial(texts.snapshots, manager=manager, url=url, after=after, limit=limit)
        return await self._read(query)

    async def snapshot(self, manager: str, url: str, at: int | None) -> tuple[Snapshot, str] | None:
        """See Store."""
        return await self._read(partial(texts.snapshot, manager=manager, url=url, at=at))

    async def differences(
        self, manager: str, url: str, at: int | None
    ) -> tuple[Snapshot, tuple[DocumentChanged, ...]] | None:
        """See Store."""
        return await self._read(partial(texts.differences, manager=manager, url=url, at=at))

    async def count_active(self, manager: str) -> int:
        """See Store."""
        return await self._read(partial(listing.count_active, manager=manager))

    async def prune(self, before: int, former_before: int) -> None:
        """See Store."""
        prune = partial(history.prune, before=before, former_before=former_before)
        while await self._writer.write(prune):
            pass

    async def rows(self, table: Table, after: Key | None) -> list[Row]:
        """See Store."""
        return await self._read(partial(copying.rows, table=table, after=after))

    async def put(self, table: Table, rows: list[Row]) -> None:
        """See Store."""
        await self._writer.write(partial(copying.put, table=table, rows=rows))

    async def noted_copy(self) -> str | None:
        """See Store."""
        return await self._read(copying.noted)

    async def note_copy(self, state: str | None) -> None:
        """See Store."""
        await self._writer.write(partial(copying.note, state=state))

    async def ping(self) -> None:
        """See Store."""
        await self._read(lambda connection: connection.execute("SELECT 1 FROM documents LIMIT 1"))

    async def close(self) -> None:
        """See Store."""
        await asyncio.to_thread(self._close)

    def _close(self) -> None:
        self._writer.close()
        self._reader.shutdown()
        with self._lock.held():  # the last to close makes a checkpoint
            for connection in self._connections:
                connection.close()
        self._lock.close()

    async def _read(self, query: Callable[[sqlite3.Connection], T]) -> T:
        return await self._aside(partial(_in_transaction, self._reading, query))

    async def _aside(self, work: Callable[[], T]) -> T:
        """Run what would hold up the event loop in the reader's thread."""
        return await asyncio.get_running_loop().run_in_executor(self._reader, work)


def _in_transaction(connection: sqlite3.Connection, query: Callable[[sqlite3.Connection], T]) -> T:
    """Run a query so that all its parts see one state."""
    with translating():
        connection.execute("BEGIN")
        try:
            return query(connection)
        finally:
            if connection.in_transaction:
                connection.execute("COMMIT")
