"""The part of ``vokter store copy``: rows as they are copied between stores."""

import sqlite3

from connectors.stores.sqlite.file import SqlitePart, reads, writes
from connectors.stores.tables import Batch, Key, Row, StoreTable


class SqliteRows(SqlitePart):
    """Implements ``connectors.stores.copying.RowAccess``."""

    @reads
    def read(
        self, connection: sqlite3.Connection, table: StoreTable, after: Key | None
    ) -> list[Row]:
        """Read some rows of a table in the order of their keys, after a key."""
        key, columns = ", ".join(table.key), ", ".join(table.columns)
        marks = ", ".join("?" * len(table.key))
        where = "" if after is None else f"WHERE ({key}) > ({marks})"
        query = f"SELECT {columns} FROM {table.name} {where} ORDER BY {key}"  # noqa: S608 - our names
        batch = Batch()
        for values in connection.execute(query, after or []):
            if not batch.add(dict(zip(table.columns, values, strict=True))):
                break
        return batch.rows

    @writes
    def put(self, connection: sqlite3.Connection, table: StoreTable, rows: list[Row]) -> None:
        """Insert rows; a row replaces the earlier row with its key."""
        columns, marks = ", ".join(table.columns), ", ".join(f":{name}" for name in table.columns)
        query = f"INSERT OR REPLACE INTO {table.name} ({columns}) VALUES ({marks})"  # noqa: S608
        connection.executemany(query, rows)

    @reads
    def noted_copy(self, connection: sqlite3.Connection) -> str | None:
        """Load the note about an incomplete copy into this store."""
        row: tuple[str] | None = connection.execute("SELECT state FROM copying").fetchone()
        return None if row is None else row[0]

    @writes
    def note_copy(self, connection: sqlite3.Connection, state: str | None) -> None:
        """Note the progress of a copy into this store; None: the copy is complete."""
        connection.execute("DELETE FROM copying")
        if state is not None:
            connection.execute("INSERT INTO copying VALUES (?)", [state])
