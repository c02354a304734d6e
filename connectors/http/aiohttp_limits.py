"""The limits on responses that aiohttp reads: of proxies, to POSTs and of webhooks."""

from functools import partial
from time import monotonic
from typing import Any

from aiohttp import ClientPayloadError, ClientSession
from aiohttp.client_proto import ResponseHandler
from aiohttp.http_exceptions import HttpProcessingError

from connectors.http.limits import Limits, Meter, ResponseRefused
from connectors.http.response_head import no_http

_PIECE = 32_768
"""Bytes of a body to parse before the counters are checked again."""
_TURN_S = 0.002
"""Seconds after which a connection yields the event loop to the others."""


def enforce_limits(session: ClientSession, limits: Limits) -> None:
    """Abort every response of a session that exceeds ``limits``."""
    connector: Any = session.connector
    # A private attribute, but the only place that all bytes of a connection pass through.
    # ``verify_limits`` proves at the start that aiohttp still uses it.
    connector._factory = partial(_MeteredConnection, connector._loop, limits)  # noqa: SLF001


class _MeteredConnection(ResponseHandler):
    """One connection; counts the bytes of one response at a time."""

    def __init__(self, loop: Any, limits: Limits) -> None:
        super().__init__(loop)
        self._limits = limits
        self._unparsed = b""
        self._is_scheduled = False
        self._refusal: ResponseRefused | None = None
        self._reset()

    def _reset(self) -> None:
        self._meter = Meter(self._limits)
        self._in_head = True

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
        # A paused parser copies everything that it is fed meanwhile, again and again.
        while (
            self._unparsed and not (self._exception or self._reading_paused) and monotonic() < end
        ):
            try:
                self._parse_piece()
            except ResponseRefused as error:
                self._refuse(error)
        if self._exception is not None or self.transport is None:
            self._unparsed = b""
        elif self._unparsed:
            self._pause_reading_for_buffer()
            self._schedule()
        elif self._buffer_paused:
            self._resume_reading_for_buffer()

    def _parse_piece(self) -> None:
        """Parse a head once it is there as a whole, or a piece of a body."""
        if self._in_head:
            piece, self._unparsed = self._meter.head(self._unparsed)
        else:
            piece, self._unparsed = self._unparsed[:_PIECE], self._unparsed[_PIECE:]
            self._meter.count(len(piece))
        if not piece:
            return
        super().data_received(piece)
        if isinstance(self._exception, HttpProcessingError) and self._payload is not None:
            # The parser does not: the reader of the body would wait for more.
            if not self._payload.is_eof():
                self._payload.set_exception(ClientPayloadError(no_http(self._exception.message)))
        elif not self._in_head:
            self._meter.check_framing(0 if self._payload is None else self._payload.total_bytes)

    def connection_lost(self, exc: BaseException | None) -> None:
        """Close; a response that was refused is reported as refused, not as cut short."""
        payload = self._payload
        super().connection_lost(exc)
        if self._refusal is not None and payload is not None:
            payload.set_exception(self._refusal)

    def _refuse(self, error: ResponseRefused) -> None:
        self._refusal = error
        self.set_exception(error)
        if self._payload is not None:
            self._payload.set_exception(error)
        if self.transport is not None:
            self.transport.close()
