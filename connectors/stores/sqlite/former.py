"""Snapshots that were replaced: each is kept in the transaction that replaces it."""

import sqlite3
from typing import Any

_COLUMNS = "(url, at, until, content_type, language, text)"
_KEEP = f"""
    INSERT OR REPLACE INTO snapshots {_COLUMNS}
    SELECT url, read_at, :until, content_type, language, text FROM documents
    WHERE url = :url AND version = :version AND text IS NOT NULL AND read_at <> :read_at
"""  # noqa: S608 - a constant
_KEEP_LAST = f"""
    INSERT OR REPLACE INTO snapshots {_COLUMNS}
    SELECT d.url, d.read_at, max(d.slot, coalesce(c.at, 0)), d.content_type, d.language, d.text
    FROM documents d LEFT JOIN checks c ON c.url = d.url AND c.watch = d.watch
    WHERE d.url = :url AND d.watch = :watch AND d.text IS NOT NULL
"""  # noqa: S608 - a constant
_TRIM = """
    DELETE FROM snapshots WHERE url = :url AND at <=
    (SELECT at FROM snapshots WHERE url = :url ORDER BY at DESC LIMIT 1 OFFSET :count)
"""


def keep(connection: sqlite3.Connection, values: dict[str, Any], version: int, count: int) -> None:
    """Keep the text of a version, if ``values`` have another, and ``count`` in all."""
    until = values["read_at"] if values["text"] is not None else values["slot"]
    place = {"url": values["url"], "version": version, "read_at": values["read_at"]}
    if connection.execute(_KEEP, place | {"until": until}).rowcount:
        _trim(connection, values["url"], count)


def keep_last(connection: sqlite3.Connection, url: str, watch: str, count: int) -> None:
    """Keep the text of a watch that ends; it held until it was last looked at."""
    if connection.execute(_KEEP_LAST, {"url": url, "watch": watch}).rowcount:
        _trim(connection, url, count)


def _trim(connection: sqlite3.Connection, url: str, count: int) -> None:
    connection.execute(_TRIM, {"url": url, "count": count})
