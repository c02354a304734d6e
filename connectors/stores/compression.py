"""Compress what is stored, as one frame of zstd; what an earlier release stored is zlib's."""

import sys
import threading
import zlib

if sys.version_info >= (3, 14):
    from compression import zstd
else:
    from backports import zstd

_ZSTD = b"\x28\xb5\x2f\xfd"
"""What each frame begins with, and nothing of zlib's."""


def compressed(data: bytes) -> bytes:
    """Compress; slow for what is large.

    >>> decompressed(compressed(b"Zeus"))
    b'Zeus'
    """
    return _COMPRESSOR.own.compress(data, zstd.ZstdCompressor.FLUSH_FRAME)


def decompressed(data: bytes) -> bytes:
    """Decompress."""
    return zstd.decompress(data) if data.startswith(_ZSTD) else zlib.decompress(data)


class _Compressor(threading.local):
    """A compressor for each thread: to make one takes longer than to compress a notification.

    One for all would have the event loop wait for a thread that compresses a large text.
    """

    def __init__(self) -> None:
        # The window that goes with the level would keep 4 MB after a large text.
        options: dict[int, int] = {
            zstd.CompressionParameter.compression_level: 1,
            zstd.CompressionParameter.window_log: 17,
        }
        self.own = zstd.ZstdCompressor(options=options)


_COMPRESSOR = _Compressor()
