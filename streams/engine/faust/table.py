"""An agent's table: a changelog topic, and RocksDB as its local copy."""

from collections.abc import Iterator, Mapping, Sequence
from typing import cast

import faust

from schemas.codec import wire
from streams.engine.acks.producer import Producer, acknowledged_offsets
from streams.engine.faust.state import PatchedStore
from streams.values.outcome import Put

# Faust's defaults (2 GB cache, three 64 MB buffers) are per partition and table.
_ROCKSDB = {
    "driver": "rocksdict",
    "block_cache_size": 4 * 1024 * 1024,
    "write_buffer_size": 4 * 1024 * 1024,
    "max_write_buffer_number": 2,
    "max_open_files": 64,
}


class ChangelogTable:
    """Key → record, per partition.

    ``table[key] = value`` of Faust writes RocksDB ahead of the changelog; after a SIGKILL
    the local copy would know what the changelog never learns. So here the changelog record
    is acknowledged first.
    """

    def __init__(
        self,
        app: faust.App,
        name: str,
        partitions: int,
        producer: Producer,
        ttl: int | None = None,
    ) -> None:
        """Declare the table on its app; rows expire after ``ttl`` s, or never.

        The changelog topic must exist before the app starts.
        """
        self._producer = producer
        self._faust = app.Table(
            name,
            partitions=partitions,
            key_type=bytes,
            value_type=bytes,
            options={**_ROCKSDB, "ttl": ttl},
        )

    @property
    def changelog(self) -> str:
        """The full name of the changelog topic."""
        return str(self._faust.changelog_topic.get_topic_name())

    @property
    def size(self) -> int:
        """Bytes that the local copies of this worker take, on the disk and not yet there."""
        return self._store.size

    def get(self, partition: int, key: bytes) -> bytes | None:
        """Return a row, encoded."""
        return self._store.get_row(partition, key)

    def rows(self, partition: int) -> Iterator[tuple[bytes, bytes]]:
        """Read all rows; drop the iterator soon, for it holds the lock."""
        return self._store.rows(partition)

    async def write(self, puts: Mapping[int, Sequence[Put]]) -> None:
        """Make the puts of each partition durable: the changelog acknowledged, then the copy."""
        topic = self.changelog
        written = []
        # All are sent before any is waited for: the producer puts them into one request.
        for partition, several in puts.items():
            rows = [(p.key, None if p.record is None else wire.encode(p.record)) for p in several]
            sent = [
                await self._producer.send_raw(topic, key, value, partition) for key, value in rows
            ]
            written.append((partition, rows, sent))
        for partition, rows, sent in written:
            offsets = await acknowledged_offsets(sent)
            self._store.write(partition, rows, max(offsets))

    @property
    def _store(self) -> PatchedStore:
        return cast("PatchedStore", self._faust.data)
