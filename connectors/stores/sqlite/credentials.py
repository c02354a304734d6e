"""Credentials, encrypted."""

import sqlite3
from dataclasses import asdict, fields

from connectors.stores.sqlite.file import SqlitePart, reads, writes
from schemas.records.credentials import SealedCredentials

_COLUMNS = tuple(field.name for field in fields(SealedCredentials))
_LISTED = ", ".join(_COLUMNS[:-1])
_PUT = (
    f"INSERT OR REPLACE INTO credentials ({', '.join(_COLUMNS)})"  # noqa: S608 - our names
    f" VALUES ({', '.join(f':{name}' for name in _COLUMNS)})"
)


class SqliteCredentials(SqlitePart):
    """Implements ``connectors.stores.ports.CredentialsStore``."""

    @reads
    def all_of(self, connection: sqlite3.Connection, manager: str) -> list[SealedCredentials]:
        """List a manager's credentials by name, without their encrypted parts."""
        query = f"SELECT {_LISTED} FROM credentials WHERE manager = ? ORDER BY name"  # noqa: S608
        return [SealedCredentials(*row) for row in connection.execute(query, [manager])]

    @reads
    def get(
        self, connection: sqlite3.Connection, manager: str, name: str
    ) -> SealedCredentials | None:
        """Load credentials, None if there are none."""
        query = f"SELECT {_LISTED}, sealed FROM credentials WHERE manager = ? AND name = ?"  # noqa: S608
        row = connection.execute(query, [manager, name]).fetchone()
        return None if row is None else SealedCredentials(*row)

    @writes
    def put(self, connection: sqlite3.Connection, row: SealedCredentials, most: int) -> bool:
        """Insert credentials or replace those of the same name, if there is room."""
        query = "SELECT count(*) FROM credentials WHERE manager = ? AND name <> ?"
        (others,) = connection.execute(query, [row.manager, row.name]).fetchone()
        if others >= most:
            return False
        connection.execute(_PUT, asdict(row))
        return True

    @writes
    def renew(self, connection: sqlite3.Connection, row: SealedCredentials) -> bool:
        """Replace the encrypted part if nobody has replaced it since."""
        query = (
            "UPDATE credentials SET sealed = :sealed, version = :version WHERE manager = :manager"
            " AND name = :name AND set_at = :set_at AND version = :version - 1"
        )
        return connection.execute(query, asdict(row)).rowcount == 1

    @writes
    def note_use(self, connection: sqlite3.Connection, manager: str, name: str, at: int) -> None:
        """Note when credentials were used (epoch ms)."""
        query = "UPDATE credentials SET used_at = ? WHERE manager = ? AND name = ?"
        connection.execute(query, [at, manager, name])

    @writes
    def remove(self, connection: sqlite3.Connection, manager: str, name: str) -> bool:
        """Delete credentials; returns whether there were any."""
        query = "DELETE FROM credentials WHERE manager = ? AND name = ?"
        return connection.execute(query, [manager, name]).rowcount == 1
