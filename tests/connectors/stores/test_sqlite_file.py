"""The SQLite file: who may open it, and what is in it."""

import errno
import io
import json
import sqlite3
from collections.abc import Awaitable
from dataclasses import asdict, replace
from pathlib import Path

import pytest

from connectors.stores.errors import StoreRefused, StoreUnavailable
from connectors.stores.sqlite import schema
from connectors.stores.sqlite.machine import Machine, claim, this_machine
from connectors.stores.sqlite.schema import connect
from connectors.stores.sqlite.store import SqliteStore
from schemas.records.deliveries import ClientGone
from schemas.records.documents import Document
from tests.harness.stores import Place

HERE = Machine("id-1", "boot-1", "olympus")


async def opened_and_closed(path: Path, machine: Machine) -> None:
    await SqliteStore.open(path, machine).close()


async def test_a_large_text_takes_little_room(tmp_path: Path) -> None:
    store = SqliteStore.open(tmp_path / "new" / "store.db")
    document = Document("http://example.test/", "w", 1, 1, text="Zeus and Hera " * 500_000)
    await store.snapshots.compare_and_set(document, 0)
    assert sum(file.stat().st_size for file in (tmp_path / "new").iterdir()) < 1_000_000
    await store.close()


async def test_another_machine_is_refused_with_the_reason(tmp_path: Path) -> None:
    path = tmp_path / "store.db"
    await opened_and_closed(path, HERE)
    with pytest.raises(StoreRefused) as refused:
        SqliteStore.open(path, Machine("id-2", "boot-2", "delphi"))
    assert str(refused.value).startswith(
        f"Refused: the SQLite store {path} belongs to machine olympus; "
        "use a shared store such as MongoDB."
    )
    assert f"delete {path}.machine" in str(refused.value)


async def test_a_store_that_was_moved_is_opened_once_its_owner_file_is_deleted(
    tmp_path: Path,
) -> None:
    path = tmp_path / "store.db"
    await opened_and_closed(path, HERE)
    path.with_name("store.db.machine").unlink()
    await opened_and_closed(path, Machine("id-2", "boot-2", "delphi"))
    with pytest.raises(StoreRefused, match="belongs to machine delphi"):
        SqliteStore.open(path, HERE)


async def test_a_restarted_machine_and_its_containers_are_the_same(tmp_path: Path) -> None:
    path = tmp_path / "store.db"
    await opened_and_closed(path, HERE)
    restarted = replace(HERE, boot="boot-2")
    await opened_and_closed(path, restarted)
    await opened_and_closed(path, replace(restarted, id="container", name="c0ffee"))
    with pytest.raises(StoreRefused):
        SqliteStore.open(path, replace(HERE, id="container"))


async def test_machines_without_a_boot_id_are_distinguished_by_their_id(tmp_path: Path) -> None:
    path = tmp_path / "store.db"
    await opened_and_closed(path, replace(HERE, boot=""))
    with pytest.raises(StoreRefused):
        SqliteStore.open(path, Machine("id-2", "", "delphi"))


def test_a_full_disk_leaves_the_owner_of_a_store_as_noted(tmp_path: Path) -> None:
    class Full(io.StringIO):
        def write(self, _: str, /) -> int:
            raise OSError(errno.ENOSPC, "No space left on device")

    noted = json.dumps(asdict(HERE))
    with Full(noted) as owner:
        with pytest.raises(OSError, match="No space"):
            claim(owner, replace(HERE, boot="boot-2"), tmp_path)
        assert owner.getvalue() == noted


async def test_this_machine_is_the_same_each_time() -> None:
    assert this_machine() == this_machine()
    assert this_machine().id


async def test_a_file_of_a_later_release_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "store.db"
    with sqlite3.connect(path) as later:
        later.execute("PRAGMA user_version = 1000")
    later.close()
    with pytest.raises(StoreRefused, match="written by a later release"):
        SqliteStore.open(path, HERE)


async def test_a_file_of_an_earlier_release_is_completed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "store.db"
    document = Document("u", "w", 1, 1, language="en", failures=2)
    earlier = SqliteStore.open(path, HERE)
    assert await earlier.snapshots.compare_and_set(document, 0)
    await earlier.close()
    later = "ALTER TABLE checks ADD COLUMN status INTEGER;", "UPDATE documents SET read_at = slot;"
    monkeypatch.setattr(schema, "_MIGRATIONS", (*schema._MIGRATIONS, *later))
    for _ in range(2):  # the second time there is nothing to do
        store = SqliteStore.open(path, HERE)
        assert await store.snapshots.document("u") == replace(document, read_at=1)
        assert await store.snapshots.compare_and_set(replace(document, read_at=1), 1)
        await store.close()
    with sqlite3.connect(path) as file:
        assert file.execute("PRAGMA user_version").fetchone() == (len(schema._MIGRATIONS),)
        assert "status" in [name for _, name, *_ in file.execute("PRAGMA table_info(checks)")]
    file.close()


async def test_an_upgrade_that_fails_leaves_the_version_before(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "store.db"
    await opened_and_closed(path, HERE)
    broken = "UPDATE documents SET read_at = slot; SELECT nonsense;"
    with monkeypatch.context() as patch:
        patch.setattr(schema, "_MIGRATIONS", (*schema._MIGRATIONS, broken))
        with pytest.raises(sqlite3.OperationalError, match="nonsense"):
            SqliteStore.open(path, HERE)
    await opened_and_closed(path, HERE)


async def test_a_file_that_is_not_sqlites_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "store.db"
    path.write_text("Zeus " * 1000)
    with pytest.raises(StoreRefused, match=f"{path} is damaged or not a SQLite file"):
        SqliteStore.open(path, HERE)


async def test_a_path_that_cannot_be_written_is_unavailable(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    with pytest.raises(StoreUnavailable, match="file"):
        SqliteStore.open(tmp_path / "file" / "store.db", HERE)


async def test_a_commit_is_synced_to_the_disk(tmp_path: Path) -> None:
    connection = connect(tmp_path / "store.db")
    assert connection.execute("PRAGMA journal_mode").fetchone() == ("wal",)
    assert connection.execute("PRAGMA synchronous").fetchone() == (2,)
    connection.close()


def test_a_large_write_leaves_no_large_journal(tmp_path: Path) -> None:
    path, journal = tmp_path / "store.db", tmp_path / "store.db-wal"
    connection = connect(path)
    connection.execute("CREATE TABLE pages (body BLOB)")
    connection.execute("INSERT INTO pages VALUES (zeroblob(?))", [2 * schema.MAX_JOURNAL])
    assert journal.stat().st_size > 2 * schema.MAX_JOURNAL
    connection.execute("INSERT INTO pages VALUES (1)")  # the first after all of it is in the file
    assert journal.stat().st_size <= schema.MAX_JOURNAL
    connection.close()


async def test_any_number_of_facts_is_pruned(tmp_path: Path) -> None:
    store = SqliteStore.open(tmp_path / "store.db")
    await store.read_side.record(
        [ClientGone("default", f"http://c/{number}", "410", at=1000) for number in range(2500)]
    )
    await store.read_side.prune(2000, 0)
    assert Place("sqlite", f"sqlite:{tmp_path / 'store.db'}").history() == []
    await store.close()


async def test_a_locked_file_is_unavailable(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("connectors.stores.sqlite.schema.BUSY_TIMEOUT_S", 0.01)
    path = tmp_path / "store.db"
    store = SqliteStore.open(path, HERE)
    intruder = sqlite3.connect(path, isolation_level=None)
    intruder.execute("BEGIN IMMEDIATE")
    with pytest.raises(StoreUnavailable, match="locked"):
        await store.snapshots.forget("http://example.test/", "watch")
    intruder.execute("ROLLBACK")
    await store.snapshots.forget("http://example.test/", "watch")
    intruder.close()
    await store.close()


async def test_the_owner_file_names_the_machine_for_people(tmp_path: Path) -> None:
    await opened_and_closed(tmp_path / "store.db", HERE)
    assert json.loads((tmp_path / "store.db.machine").read_text())["name"] == "olympus"


async def test_counting_what_fails_takes_no_more_steps_in_a_large_file(tmp_path: Path) -> None:
    store = SqliteStore.open(tmp_path / "store.db")
    steps: list[int] = []

    def count_steps(connection: sqlite3.Connection) -> None:
        connection.set_progress_handler(lambda: steps.append(1), 1)

    async def steps_of(counting: Awaitable[object]) -> int:
        steps.clear()
        await counting
        return len(steps)

    def add_failing(connection: sqlite3.Connection) -> None:
        rows = [(f"http://{number}.test/",) for number in range(20_000)]
        connection.executemany(
            "INSERT INTO documents"
            " (url, view, watch, slot, version, failures, drift, read_at, past, flapping_until,"
            " held, asks_password, title, misses, lost, missing_since, earlier_read_at, series,"
            " reader, links)"
            " VALUES (?, '', 'w', 1, 1, 1, 0, 0, x'', 2, x'', 0, '', 3, 'login', 5, 0, x'', '',"
            " x'')",
            rows,
        )

    await store.file.write(add_failing)
    await store.file.read(count_steps)
    assert await steps_of(store.failing(10)) < 500
    assert await steps_of(store.flapping(1, 10)) < 500
    assert await steps_of(store.lost(10)) < 500
    assert await steps_of(store.flapping(2, 10)) < 500
    assert await steps_of(store.has_good()) < 500
    await store.close()
