"""The local copies of tables: what is broken is deleted, for the changelog has all of it."""

import shutil
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import faust
import structlog
from faust.stores.rocksdb import RocksDBOptions, Store
from faust.types import TP
from rocksdict import WriteBatch

from streams.engine.errors import LocalCopyUnusable
from streams.engine.faust.changelog import ChangelogRow
from streams.engine.life.loop_watch import end_process

log = structlog.get_logger()

_SIGNS = (
    "Corruption",
    "File exists",
    "Invalid argument",
    "No such file or directory",
    "Not a directory",
    "Not implemented",
)
"""RocksDB's words for files that are damaged, missing or of a format it does not know.

It has others for a lock held by another process, a full disk and a failing one.
"""
_SIZES = ("rocksdb.live-sst-files-size", "rocksdb.cur-size-all-mem-tables")


_LOG_SIZE, _LOGS = 200_000, 2
"""Bytes of one file of RocksDB's own log, and how many of them each partition of a table keeps."""


def is_broken(error: Exception) -> bool:
    """Whether an error of RocksDB says that its folder cannot be used any more."""
    return any(sign in str(error) for sign in _SIGNS)


class PatchedOptions(RocksDBOptions):
    """Faust's options of RocksDB, with a limit for its own log.

    RocksDB keeps that of a thousand starts, and adds statistics every ten minutes, without end.
    """

    def as_options(self) -> Any:
        """Return the options with which each partition is opened."""
        options = super().as_options()
        options.set_max_log_file_size(_LOG_SIZE)
        options.set_keep_log_file_num(_LOGS)
        options.set_stats_dump_period_sec(0)
        return options


class PatchedStore(Store):
    """RocksDB, one folder for each partition.

    With Faust's own store a broken folder ends the worker at every start.
    """

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.rocksdb_options = PatchedOptions(
            **(self.options or {}), use_rocksdict=self.use_rocksdict
        )
        self._offsets: dict[int, int] = {}

    def persisted_offset(self, tp: TP) -> int | None:
        """Return the offset of the changelog that the folder has come to, read from there."""
        with self.ending(tp.partition):
            offset = super().persisted_offset(tp)
        self._offsets[tp.partition] = -1 if offset is None else offset
        return offset

    def offset(self, partition: int) -> int:
        """Return the offset of the changelog that a copy has come to; -1 if it is empty."""
        return self._offsets.get(partition, -1)

    def write(self, partition: int, rows: Iterable[ChangelogRow], offset: int) -> None:
        """Write rows and the changelog's offset, all or nothing; None deletes a row."""
        batch = WriteBatch(raw_mode=True)
        for key, value in rows:
            if value is None:
                batch.delete(key)
            else:
                batch.put(key, value)
        # In the same batch: rows without their offset would be read again, or never.
        batch.put(self.offset_key, str(offset).encode())
        with self.usable(partition):
            self._db_for_partition(partition).write(batch)
        self._offsets[partition] = offset

    def get_row(self, partition: int, key: bytes) -> bytes | None:
        """Return the value of a row."""
        with self.usable(partition):
            value: bytes | None = self._db_for_partition(partition).get(key)
            return value

    def rows(self, partition: int) -> Iterator[tuple[bytes, bytes]]:
        """Read all rows; drop the iterator soon, for it holds the lock."""
        with self.ending(partition):
            for key, value in self._db_for_partition(partition).items():
                if key != self.offset_key:
                    yield key, value

    @property
    def size(self) -> int:
        """Bytes that all copies take, on the disk and not yet there."""
        copies = self._dbs.values()
        sizes = (copy.property_int_value(name) for copy in copies for name in _SIZES)
        return sum(filter(None, sizes))

    @contextmanager
    def ending(self, partition: int) -> Iterator[None]:
        """End the process on an error of RocksDB; a broken folder is gone at the next start."""
        try:
            yield
        except Exception as error:  # noqa: BLE001 - rocksdict has no own class
            self._end(partition, error)

    @contextmanager
    def usable(self, partition: int) -> Iterator[None]:
        """Do the same for a broken folder; raise LocalCopyUnusable for a full or failing disk."""
        try:
            yield
        except Exception as error:
            if not is_broken(error):
                raise LocalCopyUnusable(f"a table's local copy cannot be used: {error}") from error
            self._end(partition, error)

    def _end(self, partition: int, error: Exception) -> None:
        if is_broken(error):
            _delete_broken(self.partition_path(partition), error)
        end_process("the local copy of a table could not be used", error)

    def discard(self, partition: int, reason: str) -> None:
        """Start a partition's copy empty."""
        # Dropping the last reference closes the database, which frees its lock.
        self._dbs.pop(partition, None)
        self._offsets.pop(partition, None)
        folder = self.partition_path(partition)
        log.warning("a local copy starts empty", folder=str(folder), reason=reason)
        _delete(folder)

    def _open_for_partition(self, partition: int) -> Any:
        path = self.partition_path(partition)
        try:
            return super()._open_for_partition(partition)
        except Exception as error:
            if not is_broken(error):
                raise
            _delete_broken(path, error)
        return super()._open_for_partition(partition)


class PatchedTable(faust.Table[bytes, bytes]):
    """Faust's table on our store."""

    data: PatchedStore

    def _new_store_by_url(self, url: Any) -> PatchedStore:
        return PatchedStore(url, self.app, self, table_name=self.name, options=self.options)


def _delete_broken(folder: Path, reason: object) -> None:
    log.error(
        "a broken local copy is deleted, the changelog has all of it",
        folder=str(folder),
        reason=str(reason),
    )
    _delete(folder)


def _delete(folder: Path) -> None:
    shutil.rmtree(folder, ignore_errors=True)
    folder.unlink(missing_ok=True)
