"""SQLite's errors as the store's: temporary and final."""

import sqlite3
from collections.abc import Iterator
from contextlib import contextmanager

from connectors.stores.errors import StoreRefused, StoreUnavailable

# https://www.sqlite.org/rescode.html
_PASSING = {
    sqlite3.SQLITE_BUSY,
    sqlite3.SQLITE_CANTOPEN,
    sqlite3.SQLITE_FULL,
    sqlite3.SQLITE_INTERRUPT,
    sqlite3.SQLITE_IOERR,
    sqlite3.SQLITE_LOCKED,
    sqlite3.SQLITE_NOMEM,
    sqlite3.SQLITE_PROTOCOL,
    sqlite3.SQLITE_READONLY,
}
_BROKEN = {sqlite3.SQLITE_CORRUPT, sqlite3.SQLITE_NOTADB}


def translated(error: Exception, store: str = "the SQLite store") -> Exception:
    """Turn a known error of SQLite or the system into the store's."""
    # The lower byte is the primary code; the rest of it only adds details.
    code = getattr(error, "sqlite_errorcode", 0) & 0xFF
    if code in _BROKEN:
        return StoreRefused(f"Refused: {store} is damaged or not a SQLite file: {error}")
    if code in _PASSING or isinstance(error, OSError):
        return StoreUnavailable(f"{store}: {error}")
    return error


@contextmanager
def translating(store: str = "the SQLite store") -> Iterator[None]:
    """Raise the errors of the block translated."""
    try:
        yield
    except (sqlite3.Error, OSError) as error:
        raise translated(error, store) from error
