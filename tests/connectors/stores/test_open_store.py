"""Opening the store that a URL names."""

import sqlite3
import subprocess
import sys
from contextlib import closing
from pathlib import Path

import pytest

from connectors.stores.errors import StoreRefused, StoreUnavailable
from connectors.stores.opening import Store, open_store
from connectors.stores.sqlite import schema


@pytest.mark.parametrize("url", ["store.db", "redis://host/db", "sqlite:", ""])
async def test_a_url_that_is_no_store_is_refused(url: str) -> None:
    with pytest.raises(StoreRefused, match="expected sqlite:PATH or mongodb://HOST/DATABASE"):
        await open_store(url)


@pytest.mark.parametrize("url", ["postgres://me:secret@host/db", "mongodb://me:secr:et@ho st:x/db"])
async def test_a_password_in_a_wrong_url_is_not_repeated(url: str) -> None:
    with pytest.raises(StoreRefused) as refused:
        await open_store(url)
    assert "secr" not in str(refused.value)


async def test_a_store_that_can_be_written_answers_a_ping(store: Store) -> None:
    for _ in range(2):
        await store.ping()


async def test_a_store_that_can_be_read_alone_answers_no_ping(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(schema, "BUSY_TIMEOUT_S", 0)
    path = tmp_path / "store.db"
    store = await open_store(f"sqlite:{path}")
    with closing(sqlite3.connect(path, isolation_level=None)) as other:
        other.execute("BEGIN IMMEDIATE")
        await store.failing(1)  # it can be read
        with pytest.raises(StoreUnavailable, match="locked"):
            await store.ping()
    await store.ping()
    await store.close()


def test_a_driver_is_imported_only_where_its_store_is_used() -> None:
    program = "import sys, connectors.stores.opening; sys.exit('pymongo' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", program], check=False).returncode == 0
