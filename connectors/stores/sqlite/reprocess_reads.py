"""The history of pages for the reprocess agent, for all their managers."""

import json
import sqlite3
from collections.abc import Collection
from dataclasses import replace

from connectors.stores.objects import Objects
from connectors.stores.packing import document_subject, unpack, unpack_fact, unpack_subscription
from connectors.stores.sqlite.file import SqliteFile, SqlitePart, reads
from schemas.records.changes import DocumentChanged
from schemas.records.documents import KeptSnapshot
from schemas.records.subscriptions import Subscription

_PAGES = """
    SELECT DISTINCT url, view FROM subscriptions
    WHERE ended IS NULL AND (url, view) > (?, ?) ORDER BY url, view LIMIT ?
"""
_SUBSCRIBERS = """
    SELECT body FROM subscriptions
    WHERE ended IS NULL AND url = :url AND view = coalesce(:view, view)
    ORDER BY created, id LIMIT :limit
"""
_TIMES = """
    SELECT at FROM (
        SELECT read_at AS at FROM documents
        WHERE url = :url AND view = :view AND text IS NOT NULL
        UNION SELECT at FROM snapshots WHERE url = :url AND view = :view AND until >= :since
        UNION SELECT at FROM facts WHERE kind = 'change' AND subject = :subject AND at >= :since
    ) ORDER BY at DESC LIMIT :limit
"""
_SNAPSHOT = """
    SELECT read_at, text, reader, body FROM documents
    WHERE url = :url AND view = :view AND text IS NOT NULL AND read_at = :at
    UNION ALL
    SELECT at, text, reader, body FROM snapshots WHERE url = :url AND view = :view AND at = :at
    LIMIT 1
"""
_CHANGES = "SELECT fact FROM facts WHERE kind = 'change' AND subject = ? AND at = ? ORDER BY id"
_NOTIFIED = """
    SELECT id FROM facts
    WHERE kind = 'notification' AND id IN (SELECT value FROM json_each(?))
"""


class SqliteKeptPages(SqlitePart):
    """Implements ``streams.agents.history.reprocess_effects.KeptPages``."""

    def __init__(self, file: SqliteFile, objects: Objects) -> None:
        """Load bodies from these objects."""
        super().__init__(file)
        self._objects = objects

    @reads
    def pages(
        self, connection: sqlite3.Connection, after: tuple[str, str], limit: int
    ) -> list[tuple[str, str]]:
        """List the URLs and view ids of watched pages, in order."""
        return connection.execute(_PAGES, [*after, limit]).fetchall()

    @reads
    def subscribers(
        self, connection: sqlite3.Connection, url: str, view: str | None, limit: int
    ) -> list[Subscription]:
        """List the oldest subscriptions to a page which have not ended."""
        rows = connection.execute(_SUBSCRIBERS, {"url": url, "view": view, "limit": limit})
        return [unpack_subscription(body) for (body,) in rows]

    @reads
    def times(
        self, connection: sqlite3.Connection, url: str, view: str, since: int, limit: int
    ) -> list[int]:
        """List the begins of the snapshots held since a time, and the times of changes."""
        values = {"url": url, "view": view, "subject": document_subject(url, view)}
        rows = connection.execute(_TIMES, {**values, "since": since, "limit": limit})
        return [at for (at,) in rows][::-1]

    async def snapshot(self, url: str, view: str, at: int) -> KeptSnapshot | None:
        """Load the snapshot with this begin."""
        found = await self._snapshot(url, view, at)
        return found and replace(found, body=await self._objects.load(found.body))

    @reads
    def _snapshot(
        self, connection: sqlite3.Connection, url: str, view: str, at: int
    ) -> KeptSnapshot | None:
        row = connection.execute(_SNAPSHOT, {"url": url, "view": view, "at": at}).fetchone()
        return None if row is None else KeptSnapshot(row[0], unpack(row[1]), *row[2:])

    @reads
    def changes(
        self, connection: sqlite3.Connection, url: str, view: str, at: int
    ) -> list[DocumentChanged]:
        """Load the parts of the change recorded at a time."""
        rows = connection.execute(_CHANGES, [document_subject(url, view), at])
        facts = [unpack_fact(fact) for (fact,) in rows]
        return [fact for fact in facts if isinstance(fact, DocumentChanged)]

    @reads
    def notified(self, connection: sqlite3.Connection, ids: Collection[str]) -> set[str]:
        """Return those of these ids under which a notification was recorded."""
        return {found for (found,) in connection.execute(_NOTIFIED, [json.dumps(list(ids))])}
