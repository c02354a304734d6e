"""Rows as they are copied between stores."""

import sqlite3

from connectors.stores.tables import Batch, Key, Row, Table


def rows(connection: sqlite3.Connection, table: Table, after: Key | None) -> list[Row]:
    """Give some rows behind a key, in their order."""
    key, columns = ", ".join(table.key), ", ".join(table.columns)
    marks = ", ".join("?" * len(table.key))
    where = "" if after is None else f"WHERE ({key}) > ({marks})"
    query = f"SELECT {columns} FROM {table.name} {where} ORDER BY {key}"  # noqa: S608 - our names
    batch = Batch()
    for values in connection.execute(query, after or []):
        if not batch.add(dict(zip(table.columns, values, strict=True))):
            break
    return batch.rows


def put(connection: sqlite3.Connection, table: Table, rows: list[Row]) -> None:
    """Insert rows in the place of those of the same keys."""
    columns, marks = ", ".join(table.columns), ", ".join(f":{name}" for name in table.columns)
    query = f"INSERT OR REPLACE INTO {table.name} ({columns}) VALUES ({marks})"  # noqa: S608
    connection.executemany(query, rows)


def noted(connection: sqlite3.Connection) -> str | None:
    """Give how far a copy into this store has come."""
    row: tuple[str] | None = connection.execute("SELECT state FROM copying").fetchone()
    return None if row is None else row[0]


def note(connection: sqlite3.Connection, state: str | None) -> None:
    """Note how far it has come; None: there is none under way."""
    connection.execute("DELETE FROM copying")
    if state is not None:
        connection.execute("INSERT INTO copying VALUES (?)", [state])
