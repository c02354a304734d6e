"""The codings of contents (RFC 9110, 8.4.1), undone piece by piece, and as far as browsers do.

What follows the end of a coding is passed over, and no sum is checked: servers append blanks,
warnings and wrong sums. But a coding without its end is half a page, which browsers show, too.
"""

import re
import zlib
from collections.abc import Callable, Generator, Iterable, Iterator

import brotli

try:
    from compression import zstd  # type: ignore[import-not-found,unused-ignore]  # Python 3.14
except ImportError:
    from backports import zstd

from connectors.http.errors import FetchFailed

PIECE = 65_536
"""Bytes that are decoded at a time, and of what is to be decoded."""
_BROTLI_PIECE = 4_096
MAX_CODINGS, MAX_MEMBERS = 5, 1_000
"""Codings of one body, and members or frames of a coding."""
_ALIASES = {"x-gzip": "gzip"}
_NOT_OURS = re.compile(r"(x-)?(compress|bzip2|lzma|xz|lz4|snappy|zip)|dcb|dcz|exi|pack200-gzip")
"""Codings that browsers do not ask for; other words are mistakes, such as a charset or `none`."""
_GZIP_HEAD = b"\x1f\x8b\x08"
_ZSTD_HEAD = re.compile(rb"\x28\xb5\x2f\xfd|[\x50-\x5f]\x2a\x4d\x18")
_CONTROL = re.compile(rb"[\0-\x08\x0e-\x1a\x1c-\x1f]")
_EXTRA, _NAME, _COMMENT, _SUM = 4, 8, 16, 2

Pieces = Generator[bytes, None, int]
"""Decoded pieces, some of them empty; it returns the offset at which the coding ends."""


class _EndMissing(Exception):
    """A coding ends before its end."""


def content_codings(headers: Iterable[str]) -> list[str]:
    """Return the codings to undo, in that order, by all headers ``Content-Encoding``.

    Raises FetchFailed for one that cannot be undone.

    >>> content_codings(["x-gzip, utf-8", "br"])
    ['br', 'gzip']
    """
    names = [part.strip().lower() for each in headers for part in each.split(",")]
    for name in names:
        if _NOT_OURS.fullmatch(name):
            raise FetchFailed(f"unknown content encoding {name!r}")
    codings = [name for each in names if (name := _ALIASES.get(each, each)) in _DECODERS]
    if len(codings) > MAX_CODINGS:
        raise FetchFailed(f"more than {MAX_CODINGS} content encodings")
    return codings[::-1]


def decoded(body: bytes, coding: str) -> Iterator[bytes]:
    """Undo a coding, in pieces of at most 64 KB; an empty body has none.

    Raises FetchFailed if it is broken, or ends before its end.
    """
    if not body:
        return
    try:
        yield from _DECODERS[coding](body)
    except (_EndMissing, IndexError, ValueError):
        raise FetchFailed(f"incomplete: its content encoding {coding} is cut off") from None
    except (zlib.error, zstd.ZstdError, brotli.error) as error:
        raise FetchFailed(f"its content encoding {coding} is broken") from error


def is_encoded(body: bytes, coding: str) -> bool:
    """Return whether a body may have a coding.

    Servers name some twice that a body has once, and some of a text that has none.
    """
    heads = {"gzip": body.startswith(_GZIP_HEAD), "zstd": _ZSTD_HEAD.match(body) is not None}
    return heads.get(coding, True)


def is_text(body: bytes) -> bool:
    """Return whether a body begins like a text.

    >>> is_text(b"<html>"), is_text(bytes([31, 139, 9]))
    (True, False)
    """
    return _CONTROL.search(body, 0, PIECE) is None


def _gunzip(body: bytes) -> Iterator[bytes]:
    at = yield from _inflated(body, _after_gzip_head(body, 0))
    for _ in range(MAX_MEMBERS):
        at += 8  # its sum and its length
        if not body.startswith(_GZIP_HEAD, at):
            return
        at = yield from _inflated(body, _after_gzip_head(body, at))
    raise zlib.error("too many members")


def _after_gzip_head(body: bytes, at: int) -> int:
    """Return the offset after the head of a member (RFC 1952, 2.3)."""
    if not _GZIP_HEAD.startswith(body[at : at + 3]):
        raise zlib.error("no gzip")
    flags = body[at + 3]
    at += 10
    if flags & _EXTRA:
        at += 2 + body[at] + 256 * body[at + 1]
    for flag in (_NAME, _COMMENT):
        if flags & flag:
            at = body.index(0, at) + 1
    return at + 2 if flags & _SUM else at


def _undeflate(body: bytes) -> Iterator[bytes]:
    """Undo zlib's format, or deflate alone, which some servers send instead (RFC 9110, 8.4.1.2)."""
    has_head = body[0] & 0xF == zlib.DEFLATED and int.from_bytes(body[:2], "big") % 31 == 0
    yield from _inflated(body, 2 if has_head else 0)


def _inflated(body: bytes, at: int) -> Pieces:
    stream = zlib.decompressobj(-zlib.MAX_WBITS)
    while not stream.eof:
        source = stream.unconsumed_tail or body[at : at + PIECE]
        at += 0 if stream.unconsumed_tail else len(source)
        piece = stream.decompress(source, PIECE)
        if not (source or piece or stream.eof):
            raise _EndMissing
        yield piece
    return at - len(stream.unused_data)


def _unzstd(body: bytes) -> Iterator[bytes]:
    at = yield from _frame(body, 0)
    for _ in range(MAX_MEMBERS):
        if not _ZSTD_HEAD.match(body, at):
            return
        at = yield from _frame(body, at)
    raise zstd.ZstdError("too many frames")


def _frame(body: bytes, at: int) -> Pieces:
    stream = zstd.ZstdDecompressor()
    while not stream.eof:
        source = body[at : at + PIECE] if stream.needs_input else b""
        if stream.needs_input and not source:
            raise _EndMissing
        at += len(source)
        yield stream.decompress(source, PIECE)
    return at - len(stream.unused_data)


def _unbrotli(body: bytes) -> Iterator[bytes]:
    """Undo Brotli, whose library fails at what follows the end: then the end is sought."""
    at = known = 0
    try:
        for at, piece in _brotli_pieces(body, len(body)):  # noqa: B007  # where it fails
            known += len(piece)
            yield piece
    except brotli.error:
        for _, piece in _brotli_pieces(body, at):
            yield piece[known:]
            known = max(known - len(piece), 0)


def _brotli_pieces(body: bytes, slow_from: int) -> Iterator[tuple[int, bytes]]:
    """Yield pieces with the offset of their code; from ``slow_from`` on it is read by the byte."""
    stream, at = brotli.Decompressor(), 0
    while not stream.is_finished():
        if at >= len(body):
            raise _EndMissing
        yield at, b""
        size = _BROTLI_PIECE if at < slow_from else 1
        piece = stream.process(body[at : at + size], output_buffer_limit=PIECE)
        while piece:
            yield at, piece
            piece = stream.process(b"", output_buffer_limit=PIECE)
        at += size


_DECODERS: dict[str, Callable[[bytes], Iterator[bytes]]] = {
    "gzip": _gunzip,
    "deflate": _undeflate,
    "br": _unbrotli,
    "zstd": _unzstd,
}
