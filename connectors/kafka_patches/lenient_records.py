"""Parse the messages of a batch beyond aiokafka's parser: header names may be any bytes."""

import struct
from collections.abc import Iterator

from aiokafka.record.default_records import DefaultRecord
from aiokafka.record.util import decode_varint

_LOG_APPEND_TIME = 0b1000
_FIELDS = struct.Struct(">q13xh4xqq14xi")
"""Base offset, attributes, first and last timestamp, number of messages."""


def lenient_records(batch: bytes) -> Iterator[DefaultRecord]:
    """Yield the messages of an uncompressed batch (magic 2).

    Bytes of a header's name other than UTF-8 are escaped with a backslash: Kafka and its Java
    client let them pass.
    """
    base, attributes, first, last, count = _FIELDS.unpack_from(batch)
    parts = _Parts(batch, _FIELDS.size)
    by_broker = bool(attributes & _LOG_APPEND_TIME)
    for _ in range(count):
        parts.varint()  # the length
        parts.varint()  # attributes, which have no meaning yet
        later, offset = parts.varint(), base + parts.varint()
        key, value = parts.sized(), parts.sized()
        headers = [(parts.name(), parts.sized()) for _ in range(parts.varint())]
        time = last if by_broker else first + later
        yield DefaultRecord(offset, time, int(by_broker), key, value, headers)


class _Parts:
    """Reads the parts of a batch in sequence."""

    def __init__(self, data: bytes, start: int) -> None:
        self._data = bytearray(data)
        self._at = start

    def varint(self) -> int:
        number, self._at = decode_varint(self._data, self._at)
        return int(number)

    def sized(self) -> bytes | None:
        """Read bytes after their length, None for a negative length."""
        length = self.varint()
        if length < 0:
            return None
        start, self._at = self._at, self._at + length
        return bytes(self._data[start : self._at])

    def name(self) -> str:
        return (self.sized() or b"").decode("utf-8", "backslashreplace")
