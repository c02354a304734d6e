"""Documents and their unpublished records, for the fetch agent."""

import sqlite3
from collections.abc import Iterable, Sequence
from dataclasses import asdict, fields
from functools import partial
from itertools import groupby
from typing import Any

from connectors.stores.objects import Objects
from connectors.stores.packing import pack, unpack
from connectors.stores.sqlite.file import SqliteFile, SqlitePart, reads, writes
from connectors.stores.sqlite.history import SqliteSnapshotHistory
from schemas.records.documents import Document, PageWait, Unpublished

_SMALL = 20_000
"""Characters to compress without a thread, in a quarter of a millisecond at most: passing them to a
thread takes as long as compressing most pages."""

_WAIT = """
    INSERT INTO waits (url, watch, since, reason) SELECT :url, :watch, :since, :reason
    WHERE EXISTS (SELECT 1 FROM watches WHERE url = :url AND id = :watch)
    OR EXISTS (SELECT 1 FROM documents WHERE url = :url AND watch = :watch)
    ON CONFLICT (url) DO UPDATE SET watch = excluded.watch, reason = excluded.reason,
    since = CASE watch WHEN excluded.watch THEN min(since, excluded.since) ELSE excluded.since END
"""


def _assigned(names: Iterable[str]) -> str:
    return ", ".join(f"{name} = :{name}" for name in names)


_FIELDS = [field.name for field in fields(Document) if field.name not in ("text", "unpublished")]
"""Fields of a document with a column each."""
_COLUMNS = (*_FIELDS, "text")
_KEY = ("url", "view")
_INDEXED = ("failures", "flapping_until", "lost", "missing_since")
"""Columns with an index, which are the same in most states of a document."""
_INSERT = (
    f"INSERT OR IGNORE INTO documents ({', '.join(_COLUMNS)})"  # noqa: S608 - constants
    f" VALUES ({', '.join(f':{name}' for name in _COLUMNS)})"
)
_SELECT = f"SELECT {', '.join(_COLUMNS)} FROM documents WHERE url = ? AND view = ?"  # noqa: S608 - constants
# An index is written wherever its column is set, even to what it was.
_UPDATE = f"""
    UPDATE documents SET {_assigned(name for name in _COLUMNS if name not in _KEY + _INDEXED)}
    WHERE url = :url AND view = :view AND version = :expected_version
"""  # noqa: S608 - constants
_UPDATE_INDEXED = f"""
    UPDATE documents SET {_assigned(_INDEXED)} WHERE url = :url AND view = :view
    AND ({", ".join(_INDEXED)}) IS NOT ({", ".join(f":{name}" for name in _INDEXED)})
"""  # noqa: S608 - constants


def document_row(document: Document) -> dict[str, Any]:
    """Convert a document to the values of its row, compressed; slow for a large text."""
    values = {name: getattr(document, name) for name in _FIELDS}
    return {**values, "text": None if document.text is None else pack(document.text)}


def replace_row(
    connection: sqlite3.Connection, values: dict[str, Any], expected_version: int
) -> bool:
    """Write a row if the stored version is the expected version (0: none is stored)."""
    if not expected_version:
        return connection.execute(_INSERT, values).rowcount == 1
    found = connection.execute(_UPDATE, {**values, "expected_version": expected_version})
    if found.rowcount != 1:
        return False
    connection.execute(_UPDATE_INDEXED, values)
    return True


class SqliteSnapshots(SqlitePart):
    """Implements ``streams.agents.fetch.effects.Snapshots``."""

    def __init__(self, file: SqliteFile, history: int, objects: Objects) -> None:
        """Keep ``history`` older snapshots of each document."""
        super().__init__(file)
        self._objects = objects
        self._history = SqliteSnapshotHistory(history)

    @reads
    def slots(self, connection: sqlite3.Connection, url: str, watch: str) -> dict[str, int]:
        """Load the last due time of each view of which a state for this watch is stored."""
        query = "SELECT view, slot FROM documents WHERE url = ? AND watch = ?"
        return dict(connection.execute(query, [url, watch]).fetchall())

    async def document(self, url: str, view: str = "") -> Document | None:
        """Load the stored state of a document in a view."""
        found = await self._document(url, view)
        if found is not None and found.unpublished:
            # They may be published, and cleared in a moment: nobody is to publish them again
            # for that.
            await self.file.settle()
            found = await self._document(url, view)
        return None if found is None else await self._objects.take_in(found)

    @reads
    def _document(self, connection: sqlite3.Connection, url: str, view: str) -> Document | None:
        found = connection.execute(_SELECT, [url, view]).fetchone()
        if found is None:
            return None
        *values, packed = found
        text = None if packed is None else unpack(packed)
        query = "SELECT record FROM unpublished WHERE url = ? AND view = ? ORDER BY number"
        records = tuple(record for (record,) in connection.execute(query, [url, view]))
        known = dict(zip(_FIELDS, values, strict=True))
        return Document(**known, text=text, unpublished=records)

    async def compare_and_set(self, document: Document, expected_version: int) -> bool:
        """Store a state if the stored version is the expected version (0: none is stored)."""
        document = await self._objects.put_out(document, expected_version)
        if len(document.text or "") <= _SMALL:
            values = document_row(document)
        else:
            values = await self.file.compute(partial(document_row, document))
        return await self._set(values, document.unpublished, expected_version)

    @writes
    def _set(
        self,
        connection: sqlite3.Connection,
        values: dict[str, Any],
        records: Sequence[bytes],
        expected_version: int,
    ) -> bool:
        if expected_version:
            self._history.keep(connection, values, expected_version)
        if not replace_row(connection, values, expected_version):
            return False
        url, view, version = values["url"], values["view"], values["version"]
        _drop_records(connection, url, view)
        connection.executemany(
            "INSERT INTO unpublished (url, view, version, number, record) VALUES (?, ?, ?, ?, ?)",
            [(url, view, version, number, record) for number, record in enumerate(records)],
        )
        return True

    async def clear_unpublished(self, url: str, version: int, view: str = "") -> None:
        """Drop the unpublished records of exactly this version, in a moment."""
        query = "DELETE FROM unpublished WHERE url = ? AND view = ? AND version = ?"
        # A commit less for each change. No other order of writes would come to another end: the
        # version was set before, and no other state ever has it.
        self.file.write_later(lambda connection: connection.execute(query, [url, view, version]))

    async def unpublished(self) -> list[Unpublished]:
        """Load the records that documents have yet to publish, ordered by URL and view."""
        await self.file.settle()
        return await self._unpublished()

    @reads
    def _unpublished(self, connection: sqlite3.Connection) -> list[Unpublished]:
        query = "SELECT url, view, version, record FROM unpublished ORDER BY url, view, number"
        return [
            Unpublished(url, version, tuple(record for *_, record in group), view)
            for (url, view, version), group in groupby(
                connection.execute(query), key=lambda row: row[:3]
            )
        ]

    @writes
    def forget(
        self,
        connection: sqlite3.Connection,
        url: str,
        watch: str,
        view: str | None = None,
        before: int | None = None,
    ) -> None:
        """Delete a document's states of this watch; their history stays."""
        query = (
            "SELECT view FROM documents WHERE url = ? AND watch = ? AND slot < ifnull(?, slot + 1)"
        )
        views = [found for (found,) in connection.execute(query, [url, watch, before])]
        for each in views if view is None else {view}.intersection(views):
            self._history.keep_last(connection, url, each, watch)
            connection.execute("DELETE FROM documents WHERE url = ? AND view = ?", [url, each])
            _drop_records(connection, url, each)
        if view is None:
            # Its last check is listed with the subscriptions that ended with it.
            connection.execute("DELETE FROM waits WHERE url = ? AND watch = ?", [url, watch])

    @writes
    def record_checks(
        self, connection: sqlite3.Connection, checks: Sequence[tuple[str, str, int]]
    ) -> None:
        """Note the last check of each stored document, also of a recently deleted document."""
        connection.executemany(
            "INSERT INTO checks (url, watch, at)"
            " SELECT :url, :watch, :at WHERE EXISTS"
            " (SELECT 1 FROM documents WHERE url = :url AND watch = :watch)"
            " OR EXISTS (SELECT 1 FROM checks WHERE url = :url AND watch = :watch)"
            " ON CONFLICT (url) DO UPDATE SET watch = excluded.watch, at = excluded.at"
            " WHERE excluded.at > at OR excluded.watch <> watch",
            [{"url": url, "watch": watch, "at": at} for url, watch, at in checks],
        )
        _end_waits(connection, [url for url, _, _ in checks])

    @writes
    def record_waits(
        self, connection: sqlite3.Connection, begun: Sequence[PageWait], ended: Sequence[str]
    ) -> None:
        """Note which watched documents wait, and which documents wait no longer."""
        _end_waits(connection, ended)
        connection.executemany(_WAIT, map(asdict, begun))


def _end_waits(connection: sqlite3.Connection, urls: Sequence[str]) -> None:
    connection.executemany("DELETE FROM waits WHERE url = ?", [[url] for url in urls])


def _drop_records(connection: sqlite3.Connection, url: str, view: str) -> None:
    connection.execute("DELETE FROM unpublished WHERE url = ? AND view = ?", [url, view])
