"""A stage's table: a changelog topic, and RocksDB as its local copy."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any, cast

import faust

from schemas import wire
from streams.core.outcome import Put
from streams.engine.acks.producer import Producer, acknowledged
from streams.engine.faust.state import PatchedStore

# Faust's defaults (2 GB cache, three 64 MB buffers) are per partition and table.
_ROCKSDB = {
    "driver": "rocksdict",
    "block_cache_size": 4 * 1024 * 1024,
    "write_buffer_size": 4 * 1024 * 1024,
    "max_write_buffer_number": 2,
    "max_open_files": 64,
}

_SIZES = ("rocksdb.live-sst-files-size", "rocksdb.cur-size-all-mem-tables")


@dataclass(frozen=True, slots=True)
class TableSpec:
    """A table by its name; rows live ``ttl`` seconds, or for ever."""

    name: str
    ttl: int | None = None


class Table:
    """Key → record, per partition.

    ``table[key] = value`` of Faust writes RocksDB ahead of the changelog; after
    a SIGKILL the local copy would know what the changelog never learns. So here
    the changelog record is acknowledged first.
    """

    def __init__(
        self, app: faust.App, spec: TableSpec, partitions: int, producer: Producer
    ) -> None:
        """Declare the table on its app; the changelog topic must exist by then."""
        self._producer = producer
        self._faust = app.Table(
            spec.name,
            partitions=partitions,
            key_type=bytes,
            value_type=bytes,
            options={**_ROCKSDB, "ttl": spec.ttl},
        )

    @property
    def changelog(self) -> str:
        """The full name of the changelog topic."""
        return str(self._faust.changelog_topic.get_topic_name())

    def get(self, partition: int, key: bytes) -> bytes | None:
        """Read a row, encoded."""
        with self._rocksdb.ending(partition):
            value: bytes | None = self._db(partition).get(key)
            return value

    def rows(self, partition: int) -> Iterator[tuple[bytes, bytes]]:
        """Go through all rows; drop the iterator soon, for it holds the lock."""
        bookkeeping = self._rocksdb.offset_key
        with self._rocksdb.ending(partition):
            for key, value in self._db(partition).items():
                if key != bookkeeping:
                    yield key, value

    @property
    def size(self) -> int:
        """Bytes that the local copies of this worker take, on the disk and not yet there."""
        copies = self._rocksdb._dbs.values()
        sizes = (copy.property_int_value(name) for copy in copies for name in _SIZES)
        return sum(filter(None, sizes))

    async def write(self, partition: int, puts: Sequence[Put]) -> None:
        """Make puts durable: changelog acknowledged, then the local copy."""
        if not puts:
            return
        rows = [(put.key, None if put.record is None else wire.encode(put.record)) for put in puts]
        topic = self.changelog
        sent = [await self._producer.raw(topic, key, value, partition) for key, value in rows]
        offsets = await acknowledged(sent)
        self._rocksdb.write(partition, rows, max(offsets))

    @property
    def _rocksdb(self) -> PatchedStore:
        return cast("PatchedStore", self._faust.data)

    def _db(self, partition: int) -> Any:
        return self._rocksdb._db_for_partition(partition)
