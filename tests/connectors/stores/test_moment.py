"""A store is copied as it was at one moment, whatever is committed while that is copied."""

import sqlite3
from contextlib import closing
from pathlib import Path

import pytest

from connectors.stores.errors import StoreUnavailable
from connectors.stores.sqlite.lock import FileLock
from connectors.stores.sqlite.moment import copy_moment, moment, no_commits
from connectors.stores.sqlite.schema import connect


def rows(path: Path) -> list[int]:
    with closing(sqlite3.connect(path)) as connection:
        return [number for (number,) in connection.execute("SELECT number FROM facts")]


def test_a_copy_has_what_was_committed_before_its_moment_and_nothing_later(tmp_path: Path) -> None:
    database, copy = tmp_path / "store.db", tmp_path / "copy.db"
    with closing(connect(database)) as writing:
        writing.execute("CREATE TABLE facts (number INTEGER)")
        writing.executemany("INSERT INTO facts VALUES (?)", [(each,) for each in range(5_000)])
        writing.commit()
        with moment(database) as now:
            writing.execute("INSERT INTO facts VALUES (-1)")
            writing.commit()
            copy_moment(now, copy)
    assert rows(copy) == list(range(5_000))
    assert rows(database)[-1] == -1


def test_nobody_commits_while_a_moment_is_taken(tmp_path: Path) -> None:
    with closing(FileLock(tmp_path / "store.db.machine", timeout_s=0.01)) as other:
        with (
            no_commits(tmp_path / "store.db"),
            pytest.raises(StoreUnavailable, match="has locked"),
            other.held(),
        ):
            pass
        with other.held():
            pass
