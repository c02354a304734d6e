"""An HTTP client for GET and for webhooks: its connections are opened by the guard, and kept."""

import asyncio
import re
import socket
import ssl
from collections.abc import Mapping
from functools import cache
from select import POLLIN, poll
from typing import cast

from aiohttp import InvalidURL

from connectors.http.egress import ConnectFailed, EgressGuard
from connectors.http.errors import NETWORK_ERRORS
from connectors.http.get_response import GetResponse
from connectors.http.limits import Limits, ResponseRefused

_MAX_ORIGINS, _MAX_OF_ORIGIN = 1_000, 8
"""Idle connections that are kept: so many of an origin, and of so many origins."""
_URL = re.compile(
    r"(?P<scheme>https?)://(?P<authority>(?:\[(?P<v6>[0-9A-Fa-f:.]+)\]|(?P<name>[\w.-]+))"
    r"(?::(?P<port>[0-9]{1,5}))?)(?P<target>/[!-~]*)?",
    re.ASCII,
)
_PORTS = {"http": 80, "https": 443}

Origin = tuple[str, str, int]
"""Scheme, host and port."""


class GetConnection(asyncio.Protocol):
    """A connection to a server, for one request at a time."""

    def __init__(self, opened: socket.socket, limits: Limits) -> None:
        self.idle_since_s = 0.0
        self.response: GetResponse | None = None
        self._arrivals = poll()
        self._arrivals.register(opened, POLLIN)
        self._limits = limits
        self._has_spoken = False
        self._transport: asyncio.Transport
        self._lost_by: Exception | None = None

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        """Keep the transport."""
        self._transport = cast("asyncio.Transport", transport)  # uvloop's have other classes

    def data_received(self, data: bytes) -> None:
        """Receive bytes: of the response, or else of one that no request has asked for."""
        if self.response is not None:
            self.response.receive(data)
        else:
            self._has_spoken = True
            self.close()

    def connection_lost(self, exc: Exception | None) -> None:
        """Note the end of the connection."""
        self._lost_by = exc
        if self.response is not None:
            self.response.lose(exc)

    async def ask(self, request: bytes) -> GetResponse:
        """Send a request and await the head of its response; raises one of NETWORK_ERRORS."""
        if self._has_spoken:
            raise ResponseRefused("the server does not speak HTTP")
        self.response = response = GetResponse(self._transport, self._limits)
        if self._transport.is_closing():
            response.lose(self._lost_by)
        else:
            self._transport.write(request)
        try:
            await response.arrived
        except BaseException:
            self.close()
            raise
        return response

    def release(self) -> bool:
        """End the work on a response; return whether the connection can be kept."""
        response, self.response = self.response, None
        return response is not None and response.is_reusable and not self._transport.is_closing()

    def is_quiet(self) -> bool:
        """Return whether nothing has arrived since the last response.

        A byte that waits already would be taken for the beginning of the next response, and an
        end of the connection would make the next request fail.
        """
        return not (self._transport.is_closing() or self._arrivals.poll(0))

    def close(self) -> None:
        """Close without a farewell, for which a server could let us wait."""
        self._transport.abort()


@cache
def trusting() -> ssl.SSLContext:
    """Return the TLS of all clients of the process: to read the authorities takes 50 ms."""
    found = ssl.create_default_context()
    found.set_alpn_protocols(["http/1.1"])
    return found


class Exchange:
    """A request and its response, an async context manager; raises one of NETWORK_ERRORS.

    A connection on which the response was not read to its end is closed, and so is one on which
    anything follows that end.
    """

    __slots__ = ("_client", "_connection", "_origin", "_repeats", "_request")

    def __init__(
        self, client: "GetClient", origin: Origin, request: bytes, *, repeats: bool
    ) -> None:
        self._client = client
        self._origin = origin
        self._request = request
        self._repeats = repeats

    async def __aenter__(self) -> GetResponse:
        asked = self._client.asked(self._origin, self._request, repeats=self._repeats)
        self._connection = await asked
        assert self._connection.response is not None
        return self._connection.response

    async def __aexit__(self, *_: object) -> None:
        self._client.release(self._origin, self._connection)


class GetClient:
    """Makes requests with GET and POST, directly; follows no redirect and keeps no cookie."""

    def __init__(
        self, guard: EgressGuard, limits: Limits, user_agent: str, keepalive_s: float
    ) -> None:
        """Keep connections that are not used for ``keepalive_s``. Needs a running loop."""
        self._guard = guard
        self._limits = limits
        self._keepalive_s = keepalive_s
        self._headers = {
            "User-Agent": user_agent,
            "Accept": "*/*",
            "Accept-Encoding": "gzip, deflate, br, zstd",
        }
        self._loop = asyncio.get_running_loop()
        self._tls = trusting()
        self._idle: dict[Origin, list[GetConnection]] = {}
        """By origin, of which the one that was used last is the last."""
        self._sweeping: asyncio.TimerHandle | None = None

    async def close(self) -> None:
        """Close all idle connections."""
        if self._sweeping is not None:
            self._sweeping.cancel()
        while self._idle:
            self._close_of(next(iter(self._idle)))

    def get(self, url: str, headers: Mapping[str, str]) -> "Exchange":
        """Request a canonical URL with headers, by names in title case."""
        return Exchange(self, *self._request("GET", url, headers), repeats=True)

    def post(self, url: str, headers: Mapping[str, str], content: bytes) -> "Exchange":
        """Send content to a canonical URL, and never repeat that."""
        headers = {**headers, "Content-Length": str(len(content))}
        origin, head = self._request("POST", url, headers)
        return Exchange(self, origin, head + content, repeats=False)

    def _request(self, method: str, url: str, headers: Mapping[str, str]) -> tuple[Origin, bytes]:
        found = _URL.fullmatch(url)
        port = int(found["port"] or _PORTS[found["scheme"]]) if found else 0
        if not found or not 0 < port < 65_536:
            raise InvalidURL(url)
        fields = {"Host": found["authority"], **self._headers, **headers}
        lines = "\n".join(map(": ".join, fields.items()))
        if lines.count("\n") >= len(fields) or "\r" in lines or "\0" in lines:
            raise ValueError("a header has more than one line")
        head = f"{method} {found['target'] or '/'} HTTP/1.1\n{lines}\n\n".replace("\n", "\r\n")
        return (found["scheme"], found["v6"] or found["name"], port), head.encode()

    async def asked(self, origin: Origin, request: bytes, *, repeats: bool) -> GetConnection:
        """Send a request.

        One that ``repeats`` is sent again if a kept connection ends before any byte of a response.
        """
        connection = self._kept(origin)
        if connection is not None:
            try:
                await connection.ask(request)
            except NETWORK_ERRORS:
                has_begun = connection.response is None or connection.response.has_begun
                if has_begun or not repeats:
                    raise
            else:
                return connection
        connection = await self._connected(origin)
        await connection.ask(request)
        return connection

    async def _connected(self, origin: Origin) -> GetConnection:
        scheme, host, port = origin
        is_secure = scheme == "https"
        async with asyncio.timeout(self._limits.connect):
            opened = await self._guard.connected(host, port)
            try:
                _, connection = await self._loop.create_connection(
                    lambda: GetConnection(opened, self._limits),
                    sock=opened,
                    ssl=self._tls if is_secure else None,
                    server_hostname=host.rstrip(".") if is_secure else None,
                )
            except ssl.SSLError:
                raise
            except OSError as error:
                raise ConnectFailed.by(error) from None
        return connection

    def _kept(self, origin: Origin) -> GetConnection | None:
        idle = self._idle.get(origin, [])
        while idle:
            connection = idle.pop()
            is_fresh = self._loop.time() < connection.idle_since_s + self._keepalive_s
            if is_fresh and connection.is_quiet():
                return connection
            connection.close()
        self._idle.pop(origin, None)
        return None

    def release(self, origin: Origin, connection: GetConnection) -> None:
        """Keep a connection if it can be used again."""
        if not connection.release():
            connection.close()
            return
        connection.idle_since_s = self._loop.time()
        idle = self._idle[origin] = [*self._idle.pop(origin, ()), connection]
        if len(idle) > _MAX_OF_ORIGIN:
            idle.pop(0).close()
        if len(self._idle) > _MAX_ORIGINS:
            self._close_of(next(iter(self._idle)))
        if self._sweeping is None:
            self._sweeping = self._loop.call_later(self._keepalive_s, self._sweep)

    def _sweep(self) -> None:
        """Close the connections that were idle for too long, which is looked at again later."""
        too_old_s = self._loop.time() - self._keepalive_s
        for origin, idle in list(self._idle.items()):
            while idle and idle[0].idle_since_s <= too_old_s:
                idle.pop(0).close()
            if not idle:
                del self._idle[origin]
        self._sweeping = (
            self._loop.call_later(self._keepalive_s, self._sweep) if self._idle else None
        )

    def _close_of(self, origin: Origin) -> None:
        for connection in self._idle.pop(origin):
            connection.close()
