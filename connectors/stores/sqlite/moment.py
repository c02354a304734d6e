"""A copy of a store at one moment, while its writers go on."""

import sqlite3
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path

from connectors.stores.sqlite.errors import translating
from connectors.stores.sqlite.lock import FileLock
from connectors.stores.sqlite.machine import owner_file


@contextmanager
def no_commits(database: Path) -> Iterator[None]:
    """Let no process commit to a store meanwhile; raises StoreUnavailable after the timeout."""
    lock = FileLock(owner_file(database))
    try:
        with lock.held():
            yield
    finally:
        lock.close()


@contextmanager
def moment(database: Path) -> Iterator[sqlite3.Connection]:
    """Yield a connection with the present state of the store, whatever is committed later."""
    with translating(), closing(sqlite3.connect(f"file:{database}?mode=ro", uri=True)) as now:
        now.execute("BEGIN")
        now.execute("SELECT count(*) FROM sqlite_master").fetchone()
        yield now


def copy_moment(now: sqlite3.Connection, target: Path) -> None:
    """Write the rows of a connection to a new file."""
    with closing(sqlite3.connect(target)) as copy:
        # In one step: between steps SQLite would look for later commits, and begin again.
        now.backup(copy, pages=-1)
