"""Limits on the size of a response, enforced while its bytes arrive."""

from dataclasses import dataclass
from functools import partial
from time import monotonic
from typing import Any

from aiohttp import ClientPayloadError, ClientSession
from aiohttp.client_proto import ResponseHandler
from aiohttp.http_exceptions import HttpProcessingError

from connectors.http.response_head import (
    HEAD_END,
    MAX_HEAD_END,
    is_no_http,
    no_http,
    ordinary_head,
    strict_head,
)

_PIECE = 32_768
"""Bytes of a body to parse before the counters are checked again."""
_TURN_S = 0.002
"""Seconds after which a connection yields the event loop to the others."""
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


def enforce_limits(session: ClientSession, limits: Limits) -> None:
    """Abort every response of a session that exceeds ``limits``.

    aiohttp limits each header line on its own, and counts a body without the framing of its
    chunks; it counts neither the interim responses (1xx) before a response nor their headers.
    """
    connector: Any = session.connector
    # A private attribute, but the only place that all bytes of a connection pass through.
    # ``verify_limits`` proves at the start that aiohttp still uses it.
    connector._factory = partial(_MeteredConnection, connector._loop, limits)  # noqa: SLF001


class _MeteredConnection(ResponseHandler):
    """One connection; counts the bytes of one response at a time."""

    def __init__(self, loop: Any, limits: Limits) -> None:
        super().__init__(loop)
        self._limits = limits
        self._head = bytearray()
        """The beginning of a head that has not arrived as a whole."""
        self._unparsed = b""
        self._is_scheduled = False
        self._refusal: ClientPayloadError | None = None
        self._reset()

    def _reset(self) -> None:
        self._received = 0
        self._in_head = True
        self._head.clear()

    def set_response_params(self, **params: Any) -> None:
        """Reset the counters: another request was sent on this connection."""
        self._reset()
        super().set_response_params(**params)

    def feed_data(self, data: Any, size: int = 0) -> None:
        """Note that a head was parsed; an interim head counts towards that of its response."""
        message, _ = data
        self._in_head = 100 <= message.code < 200
        super().feed_data(data, size)

    def data_received(self, data: bytes) -> None:
        """Count and parse bytes piece by piece; reading pauses until all are parsed."""
        if not data:  # this is how aiohttp resumes its parser
            super().data_received(data)
            return
        is_waiting = bool(self._unparsed)
        self._unparsed += data
        if not is_waiting:
            self._parse()

    def resume_reading(self, resume_parser: bool = True) -> None:
        """Continue where the parser was too far ahead of the reader."""
        super().resume_reading(resume_parser)
        if self._unparsed:
            self._schedule()

    def _schedule(self) -> None:
        if not self._is_scheduled and not self._reading_paused:
            self._is_scheduled = True
            self._loop.call_soon(self._parse)

    def _parse(self) -> None:
        """Parse for a short time, then yield the event loop."""
        self._is_scheduled = False
        end = monotonic() + _TURN_S
        while self._unparsed and self._can_parse() and monotonic() < end:
            if self._in_head:
                self._parse_head()
            else:
                piece, self._unparsed = self._unparsed[:_PIECE], self._unparsed[_PIECE:]
                self._count(piece, piece)
        if self._exception is not None or self.transport is None:
            self._unparsed = b""
        elif self._unparsed:
            self._pause_reading_for_buffer()
            self._schedule()
        elif self._buffer_paused:
            self._resume_reading_for_buffer()

    def _can_parse(self) -> bool:
        # A paused parser copies everything that it is fed meanwhile, again and again.
        return self._exception is None and not self._reading_paused

    def _parse_head(self) -> None:
        """Parse a head once it is there as a whole, in a form that the parser accepts."""
        ordinary = None if self._head else ordinary_head(self._unparsed)
        if ordinary is not None and self._received + len(ordinary) <= self._limits.head:
            self._unparsed = self._unparsed[len(ordinary) :]
            self._count(ordinary, ordinary)
            return
        known = len(self._head)
        self._head += self._unparsed
        found = HEAD_END.search(self._head, max(known - MAX_HEAD_END, 0))
        end = len(self._head) if found is None else found.end()
        if found is None and is_no_http(self._head):
            self._refuse("the server does not speak HTTP")
        elif self._received + end > self._limits.head:
            self._refuse(f"headers larger than {self._limits.head} bytes")
        self._unparsed = self._unparsed[end - known :]
        if found is not None and self._refusal is None:
            head = bytes(self._head[:end])
            self._head.clear()
            self._count(head, strict_head(head))

    def _count(self, data: bytes, parsed: bytes) -> None:
        """Count what was received, and parse what it stands for."""
        self._received += len(data)
        if self._received > self._limits.wire:
            self._refuse(f"larger than {self._limits.wire} bytes on the wire")
            return
        super().data_received(parsed)
        if isinstance(self._exception, HttpProcessingError) and self._payload is not None:
            # The parser does not: the reader of the body would wait for more.
            if not self._payload.is_eof():
                self._payload.set_exception(ClientPayloadError(no_http(self._exception.message)))
            return
        content = 0 if self._payload is None else self._payload.total_bytes
        if not self._in_head and self._received > 2 * content + _FRAMING:
            self._refuse("more framing than content")

    def connection_lost(self, exc: BaseException | None) -> None:
        """Close; a response that was refused is reported as refused, not as cut short."""
        payload = self._payload
        super().connection_lost(exc)
        if self._refusal is not None and payload is not None:
            payload.set_exception(self._refusal)

    def _refuse(self, why: str) -> None:
        error = self._refusal = ClientPayloadError(why)
        self.set_exception(error)
        if self._payload is not None:
            self._payload.set_exception(error)
        if self.transport is not None:
            self.transport.close()
