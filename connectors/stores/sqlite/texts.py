"""The API's side: documents, and their snapshots, former ones too."""

import sqlite3
from typing import Any

from connectors.stores import cursor
from connectors.stores.base import ListingPage
from connectors.stores.packing import fact_of, unpack
from connectors.stores.spans import Span, held, page
from connectors.stores.sqlite.listing import span_of
from schemas.documents import Snapshot
from schemas.facts import DocumentChanged

_DOCUMENTS = """
    SELECT s.url, d.read_at, NULL, d.content_type, d.language
    FROM (SELECT DISTINCT url FROM subscriptions
          WHERE manager = ? AND ended IS NULL AND url > ? ORDER BY url LIMIT ?) s
    LEFT JOIN documents d ON d.url = s.url AND d.text IS NOT NULL ORDER BY s.url
"""
_CURRENT = """
    SELECT url, read_at, NULL, content_type, language, {text} FROM documents
    WHERE url = :url AND text IS NOT NULL AND read_at <= :latest
"""
_FORMER = """
    SELECT url, at, until, content_type, language, {text} FROM snapshots s
    WHERE url = :url AND at <= :latest AND until >= :begin AND NOT EXISTS
    (SELECT 1 FROM documents d WHERE d.url = s.url AND d.text IS NOT NULL AND d.read_at = s.at)
"""
_SEVERAL = f"{_CURRENT} UNION ALL {_FORMER} ORDER BY 2 DESC LIMIT :limit"
_CHANGE = "SELECT fact FROM history WHERE kind = 'change' AND subject = ? AND at = ? ORDER BY id"


def documents(
    connection: sqlite3.Connection, manager: str, after: str | None, limit: int
) -> ListingPage[tuple[str, Snapshot | None]]:
    """One page of what a manager watches."""
    rows = connection.execute(_DOCUMENTS, [manager, after or "", limit + 1]).fetchall()
    items = tuple((row[0], None if row[1] is None else Snapshot(*row)) for row in rows[:limit])
    return ListingPage(items, items[-1][0] if len(rows) > limit and items else None)


def snapshots(
    connection: sqlite3.Connection, manager: str, url: str, after: str | None, limit: int
) -> ListingPage[Snapshot] | None:
    """One page of a document's snapshots."""
    before, _ = cursor.read(after, cursor.LATEST)
    span = span_of(connection, manager, url)
    if span is None:
        return None
    rows = _found(connection, url, span, span.latest(before - 1), limit + 1, "NULL")
    return page([Snapshot(*row[:-1]) for row in rows], limit)


def snapshot(
    connection: sqlite3.Connection, manager: str, url: str, at: int | None
) -> tuple[Snapshot, str] | None:
    """The snapshot that held at a time, and its text."""
    row = _one(connection, manager, url, at, "text")
    return None if row is None else (Snapshot(*row[:-1]), unpack(row[-1]))


def differences(
    connection: sqlite3.Connection, manager: str, url: str, at: int | None
) -> tuple[Snapshot, tuple[DocumentChanged, ...]] | None:
    """That snapshot, and its change."""
    row = _one(connection, manager, url, at, "NULL")
    if row is None:
        return None
    found = Snapshot(*row[:-1])
    facts = [fact_of(fact) for (fact,) in connection.execute(_CHANGE, [url, found.at])]
    return found, tuple(fact for fact in facts if isinstance(fact, DocumentChanged))


def _one(
    connection: sqlite3.Connection, manager: str, url: str, at: int | None, text: str
) -> tuple[Any, ...] | None:
    span = span_of(connection, manager, url)
    if span is None:
        return None
    rows = _found(connection, url, span, span.latest(at), 1, text)
    return rows[0] if rows and held(Snapshot(*rows[0][:-1]), at) else None


def _found(
    connection: sqlite3.Connection, url: str, span: Span, latest: int, limit: int, text: str
) -> list[tuple[Any, ...]]:
    values = {"url": url, "begin": span.begin, "latest": latest, "limit": limit}
    return connection.execute(_SEVERAL.format(text=text), values).fetchall()
