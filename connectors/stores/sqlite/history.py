"""Older snapshots, each kept in the transaction of its replacement."""

import sqlite3
from dataclasses import dataclass
from typing import Any

_COLUMNS = "(url, view, at, until, content_type, language, text, reader, body)"
_KEEP = f"""
    INSERT OR REPLACE INTO snapshots {_COLUMNS}
    SELECT url, view, read_at, :until, content_type, language, text, reader, body FROM documents
    WHERE url = :url AND view = :view AND version = :version AND text IS NOT NULL
          AND read_at <> :read_at
"""  # noqa: S608 - a constant
_KEEP_LAST = f"""
    INSERT OR REPLACE INTO snapshots {_COLUMNS}
    SELECT d.url, d.view, d.read_at, max(d.slot, coalesce(c.at, 0)), d.content_type,
           d.language, d.text, d.reader, NULL
    FROM documents d LEFT JOIN checks c ON c.url = d.url AND c.watch = d.watch
    WHERE d.url = :url AND d.view = :view AND d.watch = :watch AND d.text IS NOT NULL
"""  # noqa: S608 - a constant
_DROP_BODIES = """
    UPDATE snapshots SET body = NULL WHERE url = ? AND view = ? AND body IS NOT NULL
"""
_TRIM = """
    DELETE FROM snapshots WHERE url = :url AND view = :view AND at <=
    (SELECT at FROM snapshots WHERE url = :url AND view = :view
     ORDER BY at DESC LIMIT 1 OFFSET :count)
"""


@dataclass(frozen=True, slots=True)
class SqliteSnapshotHistory:
    """The latest ``count`` older snapshots of each document in each view."""

    count: int

    def keep(self, connection: sqlite3.Connection, values: dict[str, Any], version: int) -> None:
        """Keep the text of a version if the new row ``values`` has another text."""
        until = values["read_at"] if values["text"] is not None else values["slot"]
        replaced = {name: values[name] for name in ("url", "view", "read_at")}
        self._insert(connection, _KEEP, {**replaced, "version": version, "until": until})

    def keep_last(self, connection: sqlite3.Connection, url: str, view: str, watch: str) -> None:
        """Keep the text of an ending view or watch, current until its last check.

        The bodies of its snapshots are deleted.
        """
        self._insert(connection, _KEEP_LAST, {"url": url, "view": view, "watch": watch})
        connection.execute(_DROP_BODIES, [url, view])

    def _insert(self, connection: sqlite3.Connection, sql: str, values: dict[str, Any]) -> None:
        if self.count and connection.execute(sql, values).rowcount:
            connection.execute(_TRIM, {**values, "count": self.count})
