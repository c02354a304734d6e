"""Local copies of a table: what is broken is read again, what is only out of reach is kept."""

import gc
import os
import shutil
from collections.abc import Callable
from pathlib import Path

import faust
import pytest

from streams.engine.faust.state import PatchedStore, is_broken
from tests.harness.local_copies import opened

ROWS = 2_000


@pytest.fixture
def ended(monkeypatch: pytest.MonkeyPatch) -> list[object]:
    """The errors that would have ended the process."""
    errors = list[object]()
    monkeypatch.setattr(
        "streams.engine.faust.state.end_process", lambda reason, error: errors.append(error)
    )
    return errors


def filled(home: Path) -> Path:
    """A closed local copy of partition 0 with rows in files and in the log."""
    store = opened(home)
    db = store._db_for_partition(0)
    for number in range(ROWS):
        db.put(b"%d" % number, os.urandom(100))
        if number % 500 == 499:
            db.flush()
    db.put(store.offset_key, b"7")
    db.close()
    return Path(store.partition_path(0))


def count(store: PatchedStore) -> int:
    return sum(1 for _ in store._db_for_partition(0).keys())  # noqa: SIM118 - no dict


def garbage(pattern: str) -> Callable[[Path], None]:
    def spoil(folder: Path) -> None:
        for file in folder.glob(pattern):
            file.write_bytes(os.urandom(300))

    return spoil


def gone(pattern: str) -> Callable[[Path], None]:
    def spoil(folder: Path) -> None:
        for file in folder.glob(pattern):
            file.unlink()

    return spoil


def too_new(folder: Path) -> None:
    """Write a format version of the future into the footer of each file of rows."""
    for file in folder.glob("*.sst"):
        content = bytearray(file.read_bytes())
        content[-12:-8] = (99).to_bytes(4, "little")
        file.write_bytes(content)


def a_file_instead(folder: Path) -> None:
    shutil.rmtree(folder)
    folder.write_bytes(b"not a folder")


@pytest.mark.parametrize(
    "spoil",
    [
        garbage("CURRENT"),
        garbage("MANIFEST*"),
        garbage("*.sst"),
        gone("CURRENT"),
        gone("MANIFEST*"),
        gone("*.sst"),
        too_new,
        a_file_instead,
        shutil.rmtree,
    ],
    ids=[
        "garbage CURRENT",
        "garbage MANIFEST",
        "garbage rows",
        "no CURRENT",
        "no MANIFEST",
        "no rows",
        "a format of the future",
        "a file instead of the folder",
        "no folder",
    ],
)
def test_a_broken_folder_is_deleted_and_starts_empty(
    tmp_path: Path, ended: list[object], spoil: Callable[[Path], None]
) -> None:
    spoil(filled(tmp_path))
    store = opened(tmp_path)
    assert count(store) == 0
    store._db_for_partition(0).put(b"key", b"value")
    assert store.persisted_offset(faust.types.TP("x", 0)) is None, "all is read again"
    assert ended == []


def test_a_folder_that_is_well_is_kept(tmp_path: Path, ended: list[object]) -> None:
    filled(tmp_path)
    store = opened(tmp_path)
    assert count(store) == ROWS + 1
    assert store.persisted_offset(faust.types.TP("x", 0)) == 7


def test_a_folder_that_another_process_holds_is_kept(tmp_path: Path) -> None:
    folder = filled(tmp_path)
    holder = opened(tmp_path)
    assert count(holder) == ROWS + 1
    with pytest.raises(Exception, match="lock"):
        opened(tmp_path)._db_for_partition(0)
    assert any(folder.glob("*.sst"))


@pytest.mark.parametrize(
    "words",
    [
        "IO error: While appending to file: 000072.sst: File too large",
        "IO error: No space left on device: While appending to file: 000072.sst",
        "IO error: While lock file: LOCK: Resource temporarily unavailable",
        "IO error: lock hold by current process: LOCK: No locks available",
        "IO error: While pread offset 0 len 53: Input/output error",
    ],
)
def test_a_full_or_failing_disk_and_a_lock_are_no_broken_folder(words: str) -> None:
    assert not is_broken(Exception(words))


def test_rows_found_broken_at_work_end_the_process_and_are_gone_at_the_next_start(
    tmp_path: Path, ended: list[object]
) -> None:
    folder = filled(tmp_path)
    store = opened(tmp_path)
    error = Exception("Corruption: block checksum mismatch")
    with store.ending(0):
        raise error
    assert ended == [error]
    assert not folder.exists()


def test_a_full_disk_ends_the_process_and_costs_no_rows(
    tmp_path: Path, ended: list[object]
) -> None:
    filled(tmp_path)
    store = opened(tmp_path)
    error = Exception("IO error: No space left on device: While appending to file")
    with store.ending(0):
        raise error
    assert ended == [error]
    assert count(store) == ROWS + 1


def test_a_discarded_folder_can_be_filled_again(tmp_path: Path) -> None:
    filled(tmp_path)
    store = opened(tmp_path)
    assert count(store) == ROWS + 1
    store.discard(0, "it is ahead of its changelog")
    gc.collect()
    assert count(store) == 0


def test_a_copy_that_is_opened_again_and_again_keeps_few_logs_of_rocksdb(tmp_path: Path) -> None:
    for _ in range(5):
        folder = filled(tmp_path)
    assert len(list(folder.glob("LOG*"))) <= 2


def test_rows_wait_in_little_memory_before_they_are_written_to_a_file(tmp_path: Path) -> None:
    store = opened(tmp_path)
    for number in range(100):
        store.write(0, [(b"%d" % number, os.urandom(100_000))], number)
        waiting = store._db_for_partition(0).property_int_value("rocksdb.cur-size-all-mem-tables")
        assert waiting < 2_000_000
