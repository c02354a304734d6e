"""The API's part: documents, and their snapshots, current and older ones."""

import sqlite3
from typing import Any

from connectors.stores import cursor
from connectors.stores.objects import Objects
from connectors.stores.packing import document_subject, unpack, unpack_fact
from connectors.stores.pages import ListingPage
from connectors.stores.span import SubscribedTime, number_page, snapshot_page, was_current
from connectors.stores.sqlite.file import SqliteFile, SqlitePart, reads
from connectors.stores.sqlite.subscriptions import span_of
from schemas.records.changes import DocumentChanged
from schemas.records.documents import Snapshot
from schemas.records.numbers import NumberPoint

_DOCUMENTS = """
    SELECT s.url, max(d.read_at, s.begin), NULL, d.content_type, d.language
    FROM (SELECT url, view, min(created) AS begin FROM subscriptions
          WHERE manager = ? AND ended IS NULL AND url > ? GROUP BY url ORDER BY url LIMIT ?) s
    LEFT JOIN documents d ON d.url = s.url AND d.view = s.view AND d.text IS NOT NULL
    ORDER BY s.url
"""
_CURRENT = """
    SELECT url, read_at, NULL, content_type, language, {text} FROM documents
    WHERE url = :url AND view = :view AND text IS NOT NULL AND read_at <= :latest
"""
_OLDER = """
    SELECT url, at, until, content_type, language, {text} FROM snapshots s
    WHERE url = :url AND view = :view AND at <= :latest AND until >= :begin AND NOT EXISTS
    (SELECT 1 FROM documents d
     WHERE d.url = s.url AND d.view = s.view AND d.text IS NOT NULL AND d.read_at = s.at)
"""
_SEVERAL = f"{_CURRENT} UNION ALL {_OLDER} ORDER BY 2 DESC LIMIT :limit"
_PICTURE = """
    SELECT CASE :at WHEN read_at THEN picture WHEN earlier_read_at THEN earlier_picture END
    FROM documents WHERE url = :url AND view = :view
"""
_CHANGE = "SELECT fact FROM facts WHERE kind = 'change' AND subject = ? AND at = ? ORDER BY id"


class SqliteTexts(SqlitePart):
    """Implements ``connectors.stores.ports.TextReader``."""

    def __init__(self, file: SqliteFile, objects: Objects) -> None:
        """Load pictures from these objects."""
        super().__init__(file)
        self._objects = objects

    @reads
    def documents(
        self, connection: sqlite3.Connection, manager: str, after: str | None, limit: int
    ) -> ListingPage[tuple[str, Snapshot | None]]:
        """List a manager's watched documents by URL."""
        rows = connection.execute(_DOCUMENTS, [manager, after or "", limit + 1]).fetchall()
        items = tuple((row[0], None if row[1] is None else Snapshot(*row)) for row in rows[:limit])
        return ListingPage(items, items[-1][0] if len(rows) > limit and items else None)

    @reads
    def snapshots(
        self,
        connection: sqlite3.Connection,
        manager: str,
        url: str,
        after: str | None,
        limit: int,
        subscription: str | None = None,
    ) -> ListingPage[Snapshot] | None:
        """List a document's snapshots, newest first."""
        before, _ = cursor.read(after, cursor.LATEST)
        span = span_of(connection, manager, url, subscription)
        if span is None:
            return None
        latest = span.latest(before - 1)
        rows = _find(connection, url, span, latest=latest, limit=limit + 1, text="NULL")
        return snapshot_page([Snapshot(*row[:-1]) for row in rows], span, limit)

    @reads
    def snapshot(
        self,
        connection: sqlite3.Connection,
        manager: str,
        url: str,
        at: int | None,
        subscription: str | None = None,
    ) -> tuple[Snapshot, str] | None:
        """Load the snapshot current at a time, with its text."""
        span = span_of(connection, manager, url, subscription)
        row = _find_one(connection, url, span, at, text="text")
        if row is None or span is None:
            return None
        return span.shown(Snapshot(*row[:-1])), unpack(row[-1])

    @reads
    def differences(
        self,
        connection: sqlite3.Connection,
        manager: str,
        url: str,
        at: int | None,
        subscription: str | None = None,
    ) -> tuple[Snapshot, tuple[DocumentChanged, ...]] | None:
        """Load the snapshot with the parts of its change."""
        span = span_of(connection, manager, url, subscription)
        row = _find_one(connection, url, span, at, text="NULL")
        if row is None or span is None:
            return None
        found = Snapshot(*row[:-1])
        if not span.has(found.at):
            return span.shown(found), ()
        subject = document_subject(url, span.view)
        facts = [unpack_fact(fact) for (fact,) in connection.execute(_CHANGE, [subject, found.at])]
        return found, tuple(fact for fact in facts if isinstance(fact, DocumentChanged))

    async def picture(
        self, manager: str, url: str, at: int | None, subscription: str | None = None
    ) -> bytes | None:
        """Load the picture of the snapshot."""
        return await self._objects.load(await self._picture(manager, url, at, subscription))

    @reads
    def _picture(
        self,
        connection: sqlite3.Connection,
        manager: str,
        url: str,
        at: int | None,
        subscription: str | None,
    ) -> bytes | None:
        span = span_of(connection, manager, url, subscription)
        row = _find_one(connection, url, span, at, text="NULL")
        if row is None or span is None:
            return None
        values = {"url": url, "view": span.view, "at": Snapshot(*row[:-1]).at}
        found: tuple[bytes | None] | None = connection.execute(_PICTURE, values).fetchone()
        return None if found is None else found[0]

    @reads
    def numbers(
        self,
        connection: sqlite3.Connection,
        manager: str,
        url: str,
        after: str | None,
        limit: int,
        subscription: str | None = None,
    ) -> ListingPage[NumberPoint] | None:
        """List the numbers of a document, newest first."""
        span = span_of(connection, manager, url, subscription)
        if span is None:
            return None
        query = "SELECT series FROM documents WHERE url = ? AND view = ?"
        row = connection.execute(query, [url, span.view]).fetchone()
        return number_page(row[0] if row else b"", span, after, limit)


def _find_one(
    connection: sqlite3.Connection,
    url: str,
    span: SubscribedTime | None,
    at: int | None,
    *,
    text: str,
) -> tuple[Any, ...] | None:
    if span is None:
        return None
    rows = _find(connection, url, span, latest=span.latest(at), limit=1, text=text)
    return rows[0] if rows and was_current(Snapshot(*rows[0][:-1]), at) else None


def _find(
    connection: sqlite3.Connection,
    url: str,
    span: SubscribedTime,
    *,
    latest: int,
    limit: int,
    text: str,
) -> list[tuple[Any, ...]]:
    """Query the fields of snapshots, newest first, each followed by the column ``text``."""
    if latest < span.begin:  # it would say whether one of before had begun by then
        return []
    values = {"url": url, "view": span.view, "begin": span.begin, "latest": latest, "limit": limit}
    return connection.execute(_SEVERAL.format(text=text), values).fetchall()
