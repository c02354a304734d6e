"""The fetch stage's side: documents, and what they have yet to publish."""

import sqlite3
from collections.abc import Sequence
from itertools import groupby

from connectors.stores.packing import pack, unpack
from connectors.stores.sqlite import former
from schemas.documents import Document, Unpublished


def row(document: Document) -> dict[str, object]:
    """The document as the values of its row, compressed; slow for a large text."""
    return {
        "url": document.url,
        "watch": document.watch,
        "slot": document.slot,
        "version": document.version,
        "content_type": document.content_type,
        "language": document.language,
        "etag": document.etag,
        "last_modified": document.last_modified,
        "body_hash": document.body_hash,
        "failures": document.failures,
        "last_error": document.last_error,
        "text": None if document.text is None else pack(document.text),
        "drift": document.drift,
        "read_at": document.read_at,
    }


def read(connection: sqlite3.Connection, url: str) -> Document | None:
    """The stored document."""
    cursor = connection.cursor()
    cursor.row_factory = sqlite3.Row
    found = cursor.execute("SELECT * FROM documents WHERE url = ?", [url]).fetchone()
    if found is None:
        return None
    text = None if found["text"] is None else unpack(found["text"])
    return Document(**{**found, "text": text}, unpublished=_records(connection, url))


def _records(connection: sqlite3.Connection, url: str) -> tuple[bytes, ...]:
    query = "SELECT record FROM unpublished WHERE url = ? ORDER BY place"
    return tuple(record for (record,) in connection.execute(query, [url]))


def compare_and_set(
    connection: sqlite3.Connection,
    values: dict[str, object],
    records: Sequence[bytes],
    expected_version: int,
    count: int,
) -> bool:
    """Put the row in the place of the expected version, with its unpublished records.

    Of the snapshots that it had, the latest ``count`` are kept.
    """
    if expected_version and count:
        former.keep(connection, values, expected_version, count)
    if not _replace(connection, values, expected_version):
        return False
    connection.execute("DELETE FROM unpublished WHERE url = ?", [values["url"]])
    connection.executemany(
        "INSERT INTO unpublished (url, version, place, record) VALUES (?, ?, ?, ?)",
        [(values["url"], values["version"], place, record) for place, record in enumerate(records)],
    )
    return True


def _replace(
    connection: sqlite3.Connection, values: dict[str, object], expected_version: int
) -> bool:
    place = [values["url"], expected_version]
    replaced = connection.execute("DELETE FROM documents WHERE url = ? AND version = ?", place)
    if expected_version and not replaced.rowcount:
        return False
    inserted = connection.execute(
        "INSERT OR IGNORE INTO documents VALUES (:url, :watch, :slot, :version, :content_type,"
        " :language, :etag, :last_modified, :body_hash, :failures, :last_error, :text,"
        " :drift, :read_at)",
        values,
    )
    return inserted.rowcount == 1


def clear_unpublished(connection: sqlite3.Connection, url: str, version: int) -> bool:
    """Drop the records of exactly this version."""
    query = "DELETE FROM unpublished WHERE url = ? AND version = ?"
    return connection.execute(query, [url, version]).rowcount > 0


def unpublished(connection: sqlite3.Connection) -> list[Unpublished]:
    """What all documents have yet to publish."""
    rows = connection.execute("SELECT url, version, record FROM unpublished ORDER BY url, place")
    return [
        Unpublished(url, version, tuple(record for _, _, record in group))
        for (url, version), group in groupby(rows, key=lambda found: (found[0], found[1]))
    ]


def forget(connection: sqlite3.Connection, url: str, watch: str, count: int) -> None:
    """Delete the document, if it is this watch's, and all that belongs to it.

    Its snapshots are kept as those that were replaced.
    """
    if count:
        former.keep_last(connection, url, watch, count)
    query = "DELETE FROM documents WHERE url = ? AND watch = ?"
    if connection.execute(query, [url, watch]).rowcount:
        connection.execute("DELETE FROM unpublished WHERE url = ?", [url])
    connection.execute("DELETE FROM checks WHERE url = ? AND watch = ?", [url, watch])


def record_checks(connection: sqlite3.Connection, checks: Sequence[tuple[str, str, int]]) -> None:
    """Note the newest check of each document that is still kept."""
    connection.executemany(
        "INSERT INTO checks (url, watch, at)"
        " SELECT url, watch, :at FROM documents WHERE url = :url AND watch = :watch"
        " ON CONFLICT (url) DO UPDATE SET watch = excluded.watch, at = excluded.at"
        " WHERE excluded.at > at OR excluded.watch <> watch",
        [{"url": url, "watch": watch, "at": at} for url, watch, at in checks],
    )
