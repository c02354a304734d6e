"""Time limits of a connection, around aiohttp's handler, which has none for a request's head."""

import asyncio
from typing import cast

import structlog
from aiohttp import web
from aiohttp.typedefs import Handler, Middleware

from connectors.serving.limits import MAX_PER_ADDRESS, ConnectionLimits, max_connections, owner

log = structlog.get_logger()

HEAD_TIMEOUT_S = 10.0
"""From the beginning of a connection, or a later request's first byte, to the end of its head."""
BODY_TIMEOUT_S = 30.0
"""For the body of a request, or a form."""
KEEPALIVE_S = 75.0
"""For how long a connection may be idle; most reverse proxies close theirs earlier."""
UNREAD_TIMEOUT_S = 30.0
"""Seconds for a client to read sent data."""


class Connections:
    """All connections of a server; creates the protocol of each."""

    def __init__(self) -> None:
        """Begin without a connection."""
        self.limits: ConnectionLimits[Connection] = ConnectionLimits(
            max_connections(), MAX_PER_ADDRESS
        )
        self.by_transport: dict[asyncio.BaseTransport | None, Connection] = {}

    def middleware(self) -> Middleware:
        """Return a middleware, to be the outermost: requests in progress mark their connections."""

        @web.middleware
        async def serve(request: web.Request, handler: Handler) -> web.StreamResponse:
            connection = self.by_transport.get(request.transport)
            if connection is None:  # closed meanwhile
                return await handler(request)
            connection.request_begins()
            try:
                return await handler(request)
            finally:
                connection.request_ends()

        return serve


class Connection(asyncio.Protocol):
    """Passes everything on to aiohttp's handler, and closes the connection in time."""

    def __init__(self, every: Connections, handler: asyncio.Protocol) -> None:
        """Serve with ``handler`` if there are not too many others."""
        self._every = every
        self._handler = handler
        self._address: str | None = None
        self._is_idle = False
        self._deadline: asyncio.TimerHandle | None = None
        self._unread: asyncio.TimerHandle | None = None

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        """Serve the connection, unless there are too many and none of the others waits."""
        self._transport = cast("asyncio.Transport", transport)
        peer = transport.get_extra_info("peername")
        self._address = owner(peer[0]) if peer else None
        loser = self._every.limits.admit(self, self._address)
        if loser is not None:
            loser.abort("too many connections")
        if loser is not self:
            self._every.by_transport[transport] = self
            self._handler.connection_made(transport)
            self._set_deadline(HEAD_TIMEOUT_S, "the head of a request took too long")

    def data_received(self, data: bytes) -> None:
        """Pass data on; the first of a request begins the time for its head."""
        if self._is_idle:
            self._is_idle = False
            self._set_deadline(HEAD_TIMEOUT_S, "the head of a request took too long")
        self._handler.data_received(data)

    def eof_received(self) -> None:
        """Pass the end on."""
        self._handler.eof_received()

    def pause_writing(self) -> None:
        """Begin the time in which the client must read."""
        loop = asyncio.get_running_loop()
        self._unread = loop.call_later(UNREAD_TIMEOUT_S, self.abort, "an answer was not read")
        self._handler.pause_writing()

    def resume_writing(self) -> None:
        """End the wait for the client."""
        _cancel(self._unread)
        self._handler.resume_writing()

    def connection_lost(self, exc: Exception | None) -> None:
        """Drop the state of the connection."""
        _cancel(self._deadline)
        _cancel(self._unread)
        self._every.limits.forget(self)
        if self._every.by_transport.pop(self._transport, None):
            self._handler.connection_lost(exc)

    def request_begins(self) -> None:
        """Wait for the request's handler without a limit."""
        self._is_idle = False
        self._every.limits.serve(self)
        _cancel(self._deadline)

    def request_ends(self) -> None:
        """Wait for the next request."""
        self._is_idle = True
        self._every.limits.served(self)
        self._set_deadline(KEEPALIVE_S, "")

    def abort(self, cause: str) -> None:
        """Close the connection, whatever is unsent."""
        if cause:
            address = self._address or "this machine"
            log.warning("connection closed", cause=cause, address=address, once_a_minute=cause)
        self._transport.abort()

    def _set_deadline(self, seconds: float, cause: str) -> None:
        _cancel(self._deadline)
        loop = asyncio.get_running_loop()
        self._deadline = loop.call_later(seconds, self.abort, cause)


def _cancel(timer: asyncio.TimerHandle | None) -> None:
    if timer is not None:
        timer.cancel()
