"""An agent's table: a changelog topic, and RocksDB as its local copy."""

from collections.abc import Iterator, Mapping, Sequence
from typing import cast

import faust
import structlog
from aiokafka import TopicPartition

from connectors.kafka.reading import Span
from schemas.codec import wire
from streams.engine.acks.producer import Producer, acknowledged_offsets
from streams.engine.faust.changelog import ChangelogReader, ChangelogRow, foreign_spans
from streams.engine.faust.state import PatchedStore
from streams.values.outcome import Put

log = structlog.get_logger()

# Faust's defaults (2 GB cache, three 64 MB buffers) are per partition and table. A buffer is
# written to the disk only once it is full, so dozens of large ones would fill for hours.
ROCKSDB = {
    "driver": "rocksdict",
    "block_cache_size": 4 * 1024 * 1024,
    "write_buffer_size": 512 * 1024,
    "max_write_buffer_number": 2,
    "max_open_files": 64,
}

ForeignSpan = tuple[int, Span]
"""A partition, and the offsets in it that others have written."""


class ChangelogTable:
    """Key → record, per partition.

    ``table[key] = value`` of Faust writes RocksDB ahead of the changelog; after a SIGKILL
    the local copy would know what the changelog never learns. So here the changelog record
    is acknowledged first.

    What others have written between its own records is an old row of an earlier owner, which
    would stand in each copy that is built later. So the rows are put again as they are here.
    """

    def __init__(
        self,
        app: faust.App,
        name: str,
        partitions: int,
        producer: Producer,
        changelogs: ChangelogReader,
        ttl: int | None = None,
    ) -> None:
        """Declare the table on its app; rows expire after ``ttl`` s, or never.

        The changelog topic must exist before the app starts.
        """
        self._producer = producer
        self._changelogs = changelogs
        self._faust = app.Table(
            name,
            partitions=partitions,
            key_type=bytes,
            value_type=bytes,
            options={**ROCKSDB, "ttl": ttl},
        )

    @property
    def changelog(self) -> str:
        """The full name of the changelog topic."""
        return str(self._faust.changelog_topic.get_topic_name())

    def place(self, partition: int) -> TopicPartition:
        """Return a partition of the changelog topic."""
        return TopicPartition(self.changelog, partition)

    def offset(self, partition: int) -> int:
        """Return the offset of the changelog that the local copy has come to."""
        return self._store.offset(partition)

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
        foreign = await self._write(
            {
                partition: [
                    (put.key, None if put.record is None else wire.encode(put.record))
                    for put in several
                ]
                for partition, several in puts.items()
            }
        )
        while foreign:
            partition, span = foreign.pop()
            async for keys in self._changelogs.keys(self.place(partition), span):
                rows = [(key, self.get(partition, key)) for key in keys]
                if rows:
                    log.warning(
                        "another worker's rows came late, and are put as they are now",
                        changelog=self.changelog,
                        partition=partition,
                        offsets=span,
                        rows=len(rows),
                    )
                    foreign += await self._write({partition: rows})

    async def _write(self, rows: Mapping[int, Sequence[ChangelogRow]]) -> list[ForeignSpan]:
        """Make rows durable; return what others have written meanwhile."""
        topic, foreign = self.changelog, list[ForeignSpan]()
        written = []
        # All are sent before any is waited for: the producer puts them into one request.
        for partition, several in rows.items():
            sent = [
                await self._producer.send_raw(topic, key, value, partition)
                for key, value in several
            ]
            written.append((partition, several, sent))
        for partition, several, sent in written:
            offsets = await acknowledged_offsets(sent)
            last, newest = self.offset(partition), max(offsets)
            if newest - last != len(offsets):
                foreign += [(partition, span) for span in foreign_spans(last, offsets)]
            self._store.write(partition, several, newest)
        return foreign

    @property
    def _store(self) -> PatchedStore:
        return cast("PatchedStore", self._faust.data)
