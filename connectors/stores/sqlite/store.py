"""The SQLite store: the file, and the parts on the file."""

import sqlite3
from contextlib import ExitStack, closing
from pathlib import Path
from typing import Self

from connectors.stores.objects import Objects
from connectors.stores.sqlite.credentials import SqliteCredentials
from connectors.stores.sqlite.errors import translating
from connectors.stores.sqlite.facts import SqliteFacts
from connectors.stores.sqlite.file import SqliteFile, SqlitePart, reads, writes
from connectors.stores.sqlite.lock import FileLock
from connectors.stores.sqlite.machine import Machine, claim, owner_file, this_machine
from connectors.stores.sqlite.read_side import SqliteReadSide
from connectors.stores.sqlite.reprocess_reads import SqliteKeptPages
from connectors.stores.sqlite.rows import SqliteRows
from connectors.stores.sqlite.schema import connect, migrate
from connectors.stores.sqlite.search import SqliteSearch
from connectors.stores.sqlite.snapshots import SqliteSnapshots
from connectors.stores.sqlite.subscriptions import SqliteSubscriptions
from connectors.stores.sqlite.texts import SqliteTexts
from schemas.records.documents import FailingDocument, FlappingDocument, LostDocument, PageWait


class SqliteStore(SqlitePart):
    """A store in a file, open in any number of processes of a machine.

    ``identity`` is the same wherever the store is opened; ``location`` names the store for people.
    """

    def __init__(
        self, file: SqliteFile, identity: str, location: str, history: int, objects: Objects
    ) -> None:
        """Keep ``history`` older snapshots of each document."""
        super().__init__(file)
        self.objects = objects
        self.identity = identity
        self.location = location
        self.snapshots = SqliteSnapshots(file, history, objects)
        self.read_side = SqliteReadSide(file, objects)
        self.subscriptions = SqliteSubscriptions(file)
        self.facts = SqliteFacts(file)
        self.search = SqliteSearch(file)
        self.kept = SqliteKeptPages(file, objects)
        self.texts = SqliteTexts(file, objects)
        self.rows = SqliteRows(file)
        self.credentials = SqliteCredentials(file)

    @classmethod
    def open(
        cls,
        path: Path,
        machine: Machine | None = None,
        history: int = 0,
        objects: Objects | None = None,
    ) -> Self:
        """Open the file, and create the file if missing; ``machine`` is this machine.

        Raises StoreRefused for the file of another machine, of a later release, or of another
        program; StoreUnavailable if the file cannot be opened now.
        """
        path = path.expanduser()
        with translating(f"the SQLite store {path}"), ExitStack() as opened:
            path.parent.mkdir(parents=True, exist_ok=True)
            lock = opened.enter_context(closing(FileLock(owner_file(path))))
            with lock.held() as owner:
                # Before the file is opened: two machines at once would ruin it.
                claim(owner, machine or this_machine(), path)
                writing = opened.enter_context(closing(connect(path)))
                migrate(writing, path)
                reading = opened.enter_context(closing(connect(path)))
            (identity,) = reading.execute("SELECT id FROM identity").fetchone()
            opened.pop_all()
            location = f"{path.absolute()} on {this_machine().name}"
            file = SqliteFile(lock, writing, reading)
            return cls(file, identity, location, history, objects or Objects())

    @writes
    def ping(self, connection: sqlite3.Connection) -> None:
        """Write to the file: an agent needs more than reads."""
        connection.execute("UPDATE identity SET id = id")

    @reads
    def waits(self, connection: sqlite3.Connection, limit: int) -> list[PageWait]:
        """List the documents with the longest wait for their fetch."""
        query = "SELECT url, watch, since, reason FROM waits ORDER BY since LIMIT ?"
        return [PageWait(*row) for row in connection.execute(query, [limit])]

    @reads
    def failing(self, connection: sqlite3.Connection, limit: int) -> list[FailingDocument]:
        """List the documents with the most failures in a row, once for each view."""
        query = (
            "SELECT url, failures, coalesce(last_error, '') FROM documents"
            " WHERE failures > 0 ORDER BY failures DESC LIMIT ?"
        )
        return [FailingDocument(*row) for row in connection.execute(query, [limit])]

    @reads
    def flapping(
        self, connection: sqlite3.Connection, now: int, limit: int
    ) -> list[FlappingDocument]:
        """List the documents flapping ``now`` (epoch ms), once for each view."""
        query = (
            "SELECT url, flapping_until FROM documents"
            " WHERE flapping_until > ? ORDER BY flapping_until DESC LIMIT ?"
        )
        return [FlappingDocument(*row) for row in connection.execute(query, [now, limit])]

    @reads
    def lost(self, connection: sqlite3.Connection, limit: int) -> list[LostDocument]:
        """List the documents lost for the longest time, once for each view."""
        query = (
            "SELECT url, missing_since, missing FROM documents"
            " WHERE lost <> '' ORDER BY missing_since LIMIT ?"
        )
        return [LostDocument(*row) for row in connection.execute(query, [limit])]

    @reads
    def has_good(self, connection: sqlite3.Connection) -> bool:
        """Return whether any document could be read the last time."""
        query = "SELECT EXISTS (SELECT 1 FROM documents WHERE failures = 0)"
        (found,) = connection.execute(query).fetchone()
        return bool(found)

    async def close(self) -> None:
        """Finish the work under way, and close the file."""
        await self.file.close()
