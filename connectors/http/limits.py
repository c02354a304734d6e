"""How much of a stranger's answer is taken, counted as the bytes come in."""

from dataclasses import dataclass
from functools import partial
from typing import Any

from aiohttp import ClientPayloadError, ClientSession
from aiohttp.client_proto import ResponseHandler

_PIECE = 4_096
"""Bytes of a head that are looked at before they are counted again."""


@dataclass(frozen=True, slots=True)
class Limits:
    """Seconds to connect and in all; bytes of headers, on the wire and decoded."""

    connect: float = 10.0
    total: float = 30.0
    head: int = 65_536
    wire: int = 5_000_000
    body: int = 10_000_000


def metered(session: ClientSession, limits: Limits) -> None:
    """Have every answer ended that exceeds ``limits``.

    aiohttp counts each line of a header, and a body without the framing of its chunks;
    it counts neither the interim answers (1xx) before an answer nor their headers.
    """
    connector: Any = session.connector
    # The one place where all bytes of a connection pass.
    connector._factory = partial(_Metered, connector._loop, limits)  # noqa: SLF001


class _Metered(ResponseHandler):
    """One connection; counts what comes for one request at a time."""

    def __init__(self, loop: Any, limits: Limits) -> None:
        super().__init__(loop)
        self._limits = limits
        self._received = 0
        self._in_head = True

    def set_response_params(self, **params: Any) -> None:
        """Begin with the answer to another request."""
        self._received = 0
        self._in_head = True
        super().set_response_params(**params)

    def feed_data(self, data: Any, size: int = 0) -> None:
        """Take a head from the parser: interim ones belong to the head of the answer."""
        message, _ = data
        self._in_head = 100 <= message.code < 200
        super().feed_data(data, size)

    def data_received(self, data: bytes) -> None:
        """Count and parse; a head in pieces, as only its parser knows where it ends."""
        while self._in_head and len(data) > _PIECE:
            self._take(data[:_PIECE])
            if self._exception is not None:
                return
            data = data[_PIECE:]
        self._take(data)

    def _take(self, data: bytes) -> None:
        self._received += len(data)
        if self._received > self._limits.wire:
            self._refuse(f"larger than {self._limits.wire} bytes on the wire")
            return
        super().data_received(data)
        if self._in_head and self._received > self._limits.head:
            self._refuse(f"headers larger than {self._limits.head} bytes")

    def _refuse(self, why: str) -> None:
        error = ClientPayloadError(why)
        self.set_exception(error)
        if self._payload is not None:
            self._payload.set_exception(error)
        if self.transport is not None:
            self.transport.close()
