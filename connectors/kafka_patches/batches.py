"""Batches of messages in aiokafka's consumers: none may hold up those after.

aiokafka raises the same error at the same offset again and again for a batch with an unknown codec
or a header's name other than UTF-8. Seen on aiokafka 0.14.0.
"""

import struct
from collections.abc import Iterator
from typing import Any

from aiokafka.consumer import fetcher
from aiokafka.record.default_records import DefaultRecord, DefaultRecordBatch
from aiokafka.record.memory_records import MemoryRecords

from connectors.kafka_patches.lenient_records import lenient_records
from connectors.kafka_patches.uncompressed import uncompressed_batch

_LENGTH = struct.Struct(">8xi")


class UnreadableBatch(bytes):
    """The bytes of an unreadable batch: the value of the single message in its place.

    ``reason`` names its offsets, and the error.
    """

    reason = ""


def read_every_batch() -> None:
    """Let all consumers of this process read on after a batch unreadable to aiokafka."""
    fetcher.MemoryRecords = ReadableBatches


class ReadableBatches:
    """The batches in a broker's answer, in place of aiokafka's class of the same use."""

    def __init__(self, data: bytes) -> None:
        """Begin with the first batch."""
        self._data = bytes(data)
        self._batches = MemoryRecords(self._data)
        self._at = 0

    def has_next(self) -> bool:
        """Whether there is a further whole batch."""
        return bool(self._batches.has_next())

    def size_in_bytes(self) -> int:
        """Return the size of all batches, and of the cut part at the end."""
        return len(self._data)

    def next_batch(self) -> Any:
        """Return the next batch, None after the last."""
        batch = self._batches.next_batch()
        if batch is None:
            return None
        (length,) = _LENGTH.unpack_from(self._data, self._at)
        begin, self._at = self._at, self._at + _LENGTH.size + length
        if isinstance(batch, DefaultRecordBatch) and not batch.is_control_batch:
            return ReadableBatch(batch, self._data[begin : self._at])
        return batch


class ReadableBatch:
    """A batch of aiokafka's, whose messages are always readable."""

    def __init__(self, batch: DefaultRecordBatch, data: bytes) -> None:
        """``data`` are the batch's bytes as the log has them."""
        self._batch = batch
        self._data = data

    def __getattr__(self, name: str) -> Any:
        """Look up a field of the batch's header."""
        return getattr(self._batch, name)

    def __iter__(self) -> Iterator[Any]:
        """Read all messages, or the single message in their place."""
        try:
            plain = uncompressed_batch(self._data)
            try:
                return iter(list(DefaultRecordBatch(plain)))
            except UnicodeDecodeError:
                return iter(list(lenient_records(plain)))
        except Exception as error:  # noqa: BLE001 - whatever it is, it would come again
            value, batch = UnreadableBatch(self._data), self._batch
            # At its last offset, for a reader may have begun in the middle of the batch.
            last = batch.next_offset - 1
            value.reason = f"offsets {batch.base_offset} to {last}: {error}"
            time = batch.max_timestamp, batch.timestamp_type
            return iter([DefaultRecord(last, *time, None, value, [])])
