"""Servers that answer as no server should, on free loopback ports."""

import asyncio
import gzip
import zlib
from collections.abc import AsyncIterator, Callable, Iterator, Mapping
from contextlib import asynccontextmanager
from functools import cache
from itertools import chain, repeat

import brotli

HOST = "127.0.0.1"
OK = b"HTTP/1.1 200 OK\r\n"
BOMB = 100_000_000
"""Bytes (all zero) of an unpacked bomb."""
SLOW = 1.0
"""Seconds between two bytes of a server that drips."""

Answer = Callable[[], Iterator[bytes]]
"""Returns the pieces of an answer; an empty one is a pause."""


def dripping(data: Iterator[bytes]) -> Iterator[bytes]:
    """Yield each byte alone, with a pause after it."""
    for piece in data:
        for number in range(len(piece)):
            yield piece[number : number + 1]
            yield b""


def chunked(piece: bytes, extension: bytes = b"") -> bytes:
    return b"%x%s\r\n%s\r\n" % (len(piece), extension, piece)


@cache
def bomb(encoding: str) -> bytes:
    """Pack BOMB zeros."""
    zeros = bytes(BOMB)
    if encoding == "br":
        return bytes(brotli.compress(zeros, quality=1))
    if encoding == "zstd":
        return zstd_compressed(zeros)
    return gzip.compress(zeros, 1) if encoding == "gzip" else zlib.compress(zeros, 1)


def zstd_compressed(data: bytes) -> bytes:
    try:
        from compression import zstd  # type: ignore[import-not-found,unused-ignore]  # noqa: PLC0415  # Python 3.14
    except ImportError:
        from backports import zstd  # noqa: PLC0415
    # The widest window that a reader must be expected to accept.
    packed: bytes = zstd.compress(data, options={zstd.CompressionParameter.window_log: 27})
    return packed


def packed(encoding: str) -> Answer:
    body = bomb(encoding)
    head = b"Content-Encoding: %s\r\nContent-Length: %d\r\n\r\n" % (encoding.encode(), len(body))
    return lambda: iter((OK, head, body))


def endless(head: bytes, piece: bytes) -> Answer:
    return lambda: chain((OK + head,), repeat(piece))


CHUNKED = b"Transfer-Encoding: chunked\r\n\r\n"
X = b"x" * 4_000

QUICK: Mapping[str, tuple[Answer, str]] = {
    "endless header lines": (endless(b"", b"A: b\r\n" * 100), "header"),
    "an endless header": (endless(b"A: ", X), "bytes"),
    "headers of many kilobytes": (endless(b"", b"A: " + X + b"\r\n"), "headers larger than 65536"),
    "an endless status line": (lambda: repeat(X), "(?i)http|status|line"),
    "100,000 interim answers": (
        lambda: chain(repeat(b"HTTP/1.1 100 Continue\r\n\r\n" * 100, 1_000), (OK, b"\r\n")),
        "headers larger than 65536",
    ),
    "100,000 early hints": (
        lambda: chain(
            repeat(b"HTTP/1.1 103 Early Hints\r\nA: b\r\n\r\n" * 100, 1_000), (OK, b"\r\n")
        ),
        "headers larger than 65536",
    ),
    "an endless body": (endless(b"\r\n", X), "larger than 5000000 bytes on the wire"),
    "endless chunks": (endless(CHUNKED, chunked(X)), "larger than 5000000 bytes on the wire"),
    "endless chunks of one byte": (
        endless(CHUNKED, chunked(b"x") * 1000),
        "more framing than content",
    ),
    "endless extensions of chunks": (
        endless(CHUNKED, chunked(b"x", b";" + X)),
        "more framing than content",
    ),
    "an endless extension of a chunk": (endless(CHUNKED + b"1;", X), "."),
    "an endless size of a chunk": (endless(CHUNKED, b"0" * 4_000), "."),
    "endless trailers": (endless(CHUNKED + b"0\r\n", b"A: b\r\n" * 100), "."),
    "a length of terabytes": (
        lambda: iter((OK, b"Content-Length: 9999999999999\r\n\r\nx")),
        "larger than 5000000 bytes on the wire",
    ),
    "a length of many digits": (
        lambda: iter((OK, b"Content-Length: " + b"9" * 30_000 + b"\r\n\r\nx")),
        ".",
    ),
    "a negative length": (lambda: iter((OK, b"Content-Length: -1\r\n\r\nx")), "."),
    "two lengths": (
        lambda: iter((OK, b"Content-Length: 1\r\nContent-Length: 9\r\n\r\nx")),
        ".",
    ),
    "an unknown encoding": (
        lambda: iter((OK, b"Content-Encoding: compress\r\nContent-Length: 1\r\n\r\nx")),
        "unknown content encoding 'compress'",
    ),
}
"""Each with why it fails; the limits are the usual ones."""

SLOWLY: Mapping[str, Answer] = {
    "nothing": lambda: repeat(b""),
    "headers byte by byte": lambda: dripping(chain((OK,), repeat(b"A: b\r\n"))),
    "a body byte by byte": lambda: chain((OK, b"\r\n"), dripping(repeat(b"x"))),
    "chunks byte by byte": lambda: chain((OK, CHUNKED), dripping(repeat(chunked(b"x")))),
    "interim answers byte by byte": lambda: dripping(repeat(b"HTTP/1.1 100 Continue\r\n\r\n")),
    "less than its length": lambda: chain((OK, b"Content-Length: 9\r\n\r\nx"), repeat(b"")),
}
"""Only the time in all ends these."""


class Hostile:
    """One server; ``asked`` is set by its first request."""

    def __init__(self, answer: Answer) -> None:
        self.asked = asyncio.Event()
        self._answer = answer
        self._tasks: set[asyncio.Task[None]] = set()

    @asynccontextmanager
    async def serving(self) -> AsyncIterator[str]:
        """Serve; yields the URL."""
        server = await asyncio.start_server(self._take, HOST, 0, limit=2**16)
        try:
            yield f"http://{HOST}:{server.sockets[0].getsockname()[1]}/"
        finally:
            server.close()
            for task in self._tasks:
                task.cancel()
            await asyncio.gather(*self._tasks, return_exceptions=True)

    async def _take(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        task = asyncio.current_task()
        assert task is not None
        self._tasks.add(task)
        try:
            await reader.readuntil(b"\r\n\r\n")
            self.asked.set()
            for piece in self._answer():
                await self._send(piece, writer)
            await reader.read()
        except (ConnectionError, asyncio.IncompleteReadError):
            pass
        finally:
            self._tasks.discard(task)
            writer.transport.abort()

    async def _send(self, piece: bytes, writer: asyncio.StreamWriter) -> None:
        if not piece:
            await asyncio.sleep(SLOW)
            return
        writer.write(piece)
        await writer.drain()
