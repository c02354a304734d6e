"""Uncompress a batch of messages, as far as a limit."""

import struct
from collections.abc import Callable
from mmap import mmap

import cramjam

MAX_BYTES = 64 * 1024 * 1024
"""The most uncompressed bytes of a batch: four of our largest messages."""

_HEADER_BYTES = 61
_ATTRIBUTES = slice(21, 23)
_CODEC_BITS = 0b111
_XERIAL = b"\x82SNAPPY\x00"
_XERIAL_HEADER_BYTES = 16


def uncompressed_batch(batch: bytes) -> bytes:
    """Return a batch (magic 2) with its messages uncompressed; its checksum and length are stale.

    aiokafka would uncompress a few kilobytes to gigabytes, and the process would be killed
    at each attempt. Raises ValueError, or an error of the codec.
    """
    (attributes,) = struct.unpack(">h", batch[_ATTRIBUTES])
    codec = attributes & _CODEC_BITS
    if codec == 0:
        return batch
    uncompress = _CODECS.get(codec)
    if uncompress is None:
        raise ValueError(f"it is compressed with codec {codec}, which this release cannot read")
    header = bytearray(batch[:_HEADER_BYTES])
    header[_ATTRIBUTES] = struct.pack(">h", attributes & ~_CODEC_BITS)
    return bytes(header) + uncompress(batch[_HEADER_BYTES:])


def _into_limit(into: Callable[[bytes, memoryview], int]) -> Callable[[bytes], bytes]:
    def uncompress(data: bytes) -> bytes:
        # The system gives memory only to the pages that are written.
        with mmap(-1, MAX_BYTES) as room, memoryview(room) as view:
            return room[: into(data, view)]

    return uncompress


def _unsnapped(data: bytes) -> bytes:
    """Uncompress Java's snappy, in blocks with their lengths, or a single block."""
    if not data.startswith(_XERIAL):
        return _block(data, MAX_BYTES)
    out = bytearray()
    at = _XERIAL_HEADER_BYTES
    while at < len(data):
        (size,) = struct.unpack_from(">i", data, at)
        out += _block(data[at + 4 : at + 4 + size], MAX_BYTES - len(out))
        at += 4 + max(size, 0)
    return bytes(out)


def _block(data: bytes, limit: int) -> bytes:
    if cramjam.snappy.decompress_raw_len(data) > limit:
        raise ValueError(f"it takes more than {MAX_BYTES} bytes uncompressed")
    return bytes(cramjam.snappy.decompress_raw(data))


_CODECS: dict[int, Callable[[bytes], bytes]] = {
    1: _into_limit(cramjam.gzip.decompress_into),
    2: _unsnapped,
    3: _into_limit(cramjam.lz4.decompress_into),
    4: _into_limit(cramjam.zstd.decompress_into),
}
"""By their numbers in a batch's attributes."""
