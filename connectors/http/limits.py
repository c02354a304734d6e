"""How much of a stranger's answer is taken, counted as the bytes come in."""

from dataclasses import dataclass
from functools import partial
from time import monotonic
from typing import Any

from aiohttp import ClientPayloadError, ClientSession
from aiohttp.client_proto import ResponseHandler

_HEAD, _BODY = 4_096, 32_768
"""Bytes that are parsed before they are counted again."""
_TURN = 0.002
"""Seconds after which an answer leaves the loop to others."""
_FRAMING = 100_000
"""Bytes that may be no content, beside as many as there is content.

Chunks of one byte are six bytes on the wire, and take longer than anything else does.
"""


@dataclass(frozen=True, slots=True)
class Limits:
    """Seconds to connect and in all; bytes of headers, on the wire and decoded."""

    connect: float = 10.0
    total: float = 30.0
    head: int = 65_536
    wire: int = 5_000_000
    body: int = 10_000_000


def enforce_limits(session: ClientSession, limits: Limits) -> None:
    """Have every answer ended that exceeds ``limits``.

    aiohttp counts each line of a header, and a body without the framing of its chunks;
    it counts neither the interim answers (1xx) before an answer nor their headers.
    """
    connector: Any = session.connector
    # The one place where all bytes of a connection pass.
    connector._factory = partial(_MeteredConnection, connector._loop, limits)  # noqa: SLF001


class _MeteredConnection(ResponseHandler):
    """One connection; counts what comes for one request at a time."""

    def __init__(self, loop: Any, limits: Limits) -> None:
        super().__init__(loop)
        self._limits = limits
        self._rest = b""
        self._is_due = False
        self._refusal: ClientPayloadError | None = None
        self._begin()

    def _begin(self) -> None:
        self._received = 0
        self._in_head = True

    def set_response_params(self, **params: Any) -> None:
        """Begin with the answer to another request."""
        self._begin()
        super().set_response_params(**params)

    def feed_data(self, data: Any, size: int = 0) -> None:
        """Take a head from the parser: interim ones belong to the head of the answer."""
        message, _ = data
        self._in_head = 100 <= message.code < 200
        super().feed_data(data, size)

    def data_received(self, data: bytes) -> None:
        """Count and parse, in pieces; more is taken in only when that is done."""
        if not data:  # aiohttp's way to have its parser go on
            super().data_received(data)
            return
        is_waiting = bool(self._rest)
        self._rest += data
        if not is_waiting:
            self._go_on()

    def resume_reading(self, resume_parser: bool = True) -> None:
        """Go on where the parser was too far ahead of who reads."""
        super().resume_reading(resume_parser)
        if self._rest:
            self._have_a_turn()

    def _have_a_turn(self) -> None:
        if not self._is_due and not self._reading_paused:
            self._is_due = True
            self._loop.call_soon(self._go_on)

    def _go_on(self) -> None:
        """Parse for a short while, then let others have their turn."""
        self._is_due = False
        end = monotonic() + _TURN
        while self._rest and self._is_taking() and monotonic() < end:
            # A head in small pieces, as only its parser knows where it ends.
            size = _HEAD if self._in_head else _BODY
            piece, self._rest = self._rest[:size], self._rest[size:]
            self._take(piece)
        if self._exception is not None or self.transport is None:
            self._rest = b""
        elif self._rest:
            self._pause_reading_for_buffer()
            self._have_a_turn()
        elif self._buffer_paused:
            self._resume_reading_for_buffer()

    def _is_taking(self) -> bool:
        # A parser that pauses copies all that it is given meanwhile, again and again.
        return self._exception is None and not self._reading_paused

    def _take(self, data: bytes) -> None:
        self._received += len(data)
        if self._received > self._limits.wire:
            self._refuse(f"larger than {self._limits.wire} bytes on the wire")
            return
        super().data_received(data)
        if self._in_head and self._received > self._limits.head:
            self._refuse(f"headers larger than {self._limits.head} bytes")
        content = 0 if self._payload is None else self._payload.total_bytes
        if not self._in_head and self._received > 2 * content + _FRAMING:
            self._refuse("more framing than content")

    def connection_lost(self, exc: BaseException | None) -> None:
        """End; an answer that was refused is not merely one that is cut short."""
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
