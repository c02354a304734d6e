"""The limits on the bytes of a response, counted while they arrive, whichever client reads it."""

from dataclasses import dataclass

from aiohttp import ClientPayloadError

from connectors.http.response_head import (
    HEAD_END,
    MAX_HEAD_END,
    is_no_http,
    no_http,
    ordinary_head,
    strict_head,
)

_FRAMING = 100_000
"""Bytes of framing allowed, in addition to as many bytes as there is content.

A chunk of one byte is six bytes on the wire, and parsing it costs more than anything else.
"""


@dataclass(frozen=True, slots=True)
class Limits:
    """Seconds to connect and in total; bytes of headers, on the wire and decoded."""

    connect: float = 10.0
    total: float = 30.0
    head: int = 65_536
    wire: int = 5_000_000
    body: int = 10_000_000


class ResponseRefused(ClientPayloadError):
    """A response exceeds a limit, or is none; the text is the reason."""


class Meter:
    """Counts the bytes of one response, and finds its heads.

    Parsers limit each header line on its own, and count a body without the framing of its
    chunks; they count neither the interim responses (1xx) before a response nor their headers.
    """

    __slots__ = ("_head", "_limits", "_received")

    def __init__(self, limits: Limits) -> None:
        self._limits = limits
        self._head = bytearray()
        """The beginning of a head that has not arrived as a whole."""
        self._received = 0

    def head(self, data: bytes) -> tuple[bytes, bytes]:
        """Return the next head in a form that parsers accept, and the bytes after it.

        The head is empty until it has arrived as a whole. Raises ResponseRefused.
        """
        ordinary = None if self._head else ordinary_head(data)
        if ordinary is not None:
            self._count_head(len(ordinary))
            return ordinary, data[len(ordinary) :]
        known = len(self._head)
        self._head += data
        found = HEAD_END.search(self._head, max(known - MAX_HEAD_END, 0))
        if found is None:
            if is_no_http(self._head):
                raise ResponseRefused("the server does not speak HTTP")
            if self._received + len(self._head) > self._limits.head:
                raise ResponseRefused(f"headers larger than {self._limits.head} bytes")
            return b"", b""
        head = bytes(self._head[: found.end()])
        self._head.clear()
        self._count_head(len(head))
        strict = strict_head(head)
        if not strict:
            raise ResponseRefused(no_http("Bad status line"))
        return strict, data[len(head) - known :]

    def _count_head(self, size: int) -> None:
        if self._received + size > self._limits.head:
            raise ResponseRefused(f"headers larger than {self._limits.head} bytes")
        self.count(size)

    def count(self, size: int) -> None:
        """Count bytes before they are parsed; raises ResponseRefused if they are too many."""
        self._received += size
        if self._received > self._limits.wire:
            raise ResponseRefused(f"larger than {self._limits.wire} bytes on the wire")

    def check_framing(self, content: int) -> None:
        """Raise ResponseRefused unless the bytes of a body (``content``) are enough of them."""
        if self._received > 2 * content + _FRAMING:
            raise ResponseRefused("more framing than content")
