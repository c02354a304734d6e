"""The guard proxy: the only way out for a browser, open for a single visit.

An HTTP proxy at a free port. Each connection is checked by the egress guard at its address, like
the fetcher's, and nobody without the visit's password may use the proxy.
"""

import asyncio
import secrets
from base64 import b64encode
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress

from connectors.browser.proxy_head import BadHead, Head, closing_head, parsed_head
from connectors.browser.upstream import Upstream
from connectors.http.egress import AddressRefused

MAX_CONNECTIONS = 64
"""Connections of a visit at a time; further connections wait for the first to close."""
MAX_REQUESTS = 2_000
"""Connections of a visit in all."""
MAX_HEAD = 65_536
HEAD_TIMEOUT_S = 30.0
PIECE = 65_536
USER = "visit"
REFUSED = b"HTTP/1.1 403 Forbidden\r\nContent-Length: 0\r\nConnection: close\r\n\r\n"
UNREACHABLE = b"HTTP/1.1 502 Bad Gateway\r\nContent-Length: 0\r\nConnection: close\r\n\r\n"
UNKNOWN = (
    b"HTTP/1.1 407 Proxy Authentication Required\r\nProxy-Authenticate: Basic realm=visit\r\n"
    b"Content-Length: 0\r\nConnection: close\r\n\r\n"
)
OPEN = b"HTTP/1.1 200 Connection established\r\n\r\n"


class TooMuch(Exception):
    """A visit has used up its connections or bytes."""


class GuardProxy:
    """The proxy of a visit, with its observations.

    ``errors`` has the reason for each unreachable host and port, ``refused`` the number of
    connections refused by the egress policy, and ``too_much`` the exceeded limit.
    """

    def __init__(self, upstream: Upstream, max_bytes: int) -> None:
        """Connect with ``upstream``; relay at most so many bytes to the browser."""
        self._upstream = upstream
        self._left = max_bytes
        self._max_bytes = max_bytes
        self._requests = 0
        self._free = asyncio.Semaphore(MAX_CONNECTIONS)
        self._tasks: set[asyncio.Task[None]] = set()
        self.password = secrets.token_urlsafe(24)
        self._expected = b64encode(f"{USER}:{self.password}".encode()).decode()
        self.errors: dict[tuple[str, int], OSError] = {}
        self.refused = 0
        self.too_much: str | None = None
        self.exceeded = asyncio.Event()
        self.url = ""

    @asynccontextmanager
    async def listening(self, address: str = "127.0.0.1") -> AsyncIterator[None]:
        """Listen at a free port of an address of this machine; close all connections at the end."""
        server = await asyncio.start_server(self._accept, address, 0, limit=MAX_HEAD)
        host, port = server.sockets[0].getsockname()[:2]
        self.url = f"http://[{host}]:{port}" if ":" in host else f"http://{host}:{port}"
        try:
            yield
        finally:
            server.close()
            for task in self._tasks:
                task.cancel()
            await asyncio.gather(*self._tasks, return_exceptions=True)

    def _accept(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        task = asyncio.create_task(self._serve(reader, writer))
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)

    async def _serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        try:
            async with self._free:
                async with asyncio.timeout(HEAD_TIMEOUT_S):
                    head = parsed_head(await reader.readuntil(b"\r\n\r\n"))
                await self._answer(head, reader, writer)
        except (BadHead, OSError, EOFError, ValueError, asyncio.LimitOverrunError, TooMuch):
            pass  # the browser sees a closed connection, and the visit what was noted of it
        finally:
            writer.close()

    async def _answer(
        self, head: Head, reader: asyncio.StreamReader, writer: asyncio.StreamWriter
    ) -> None:
        if not secrets.compare_digest(head.authorization.encode(), self._expected.encode()):
            writer.write(UNKNOWN)
            await writer.drain()
            return
        self._requests += 1
        if self._requests > MAX_REQUESTS:
            self.exceed(f"more than {MAX_REQUESTS} connections")
            raise TooMuch
        try:
            server = await self._upstream.connect(head)
        except AddressRefused as error:
            self.refused += 1
            self._note(head, error)
            writer.write(REFUSED if head.is_tunnel else b"")
            await writer.drain()
            return
        except OSError as error:
            self._note(head, error)
            writer.write(UNREACHABLE if head.is_tunnel else b"")
            await writer.drain()
            return
        from_server, to_server = server
        try:
            if head.is_tunnel:
                writer.write(OPEN)
                await self._both(reader, writer, from_server, to_server)
            else:
                to_server.write(self._upstream.request_head(head))
                await self._exchange(head, reader, writer, from_server, to_server)
        finally:
            to_server.close()

    def _note(self, head: Head, error: OSError) -> None:
        if len(self.errors) < MAX_REQUESTS:
            self.errors[head.host, head.port] = error

    def exceed(self, what: str) -> None:
        """End the visit, because of an exceeded limit."""
        self.too_much = what
        self.exceeded.set()

    async def _both(
        self,
        reader: asyncio.StreamReader,
        writer: asyncio.StreamWriter,
        from_server: asyncio.StreamReader,
        to_server: asyncio.StreamWriter,
    ) -> None:
        """Relay a tunnel until either end closes the connection."""
        ends = (
            asyncio.create_task(self._relay(reader, to_server)),
            asyncio.create_task(self._relay(from_server, writer, counted=True)),
        )
        try:
            await asyncio.wait(ends, return_when=asyncio.FIRST_COMPLETED)
        finally:
            for end in ends:
                end.cancel()
            with suppress(OSError, TooMuch):
                for result in await asyncio.gather(*ends, return_exceptions=True):
                    if isinstance(result, TooMuch):
                        raise result

    async def _exchange(
        self,
        head: Head,
        reader: asyncio.StreamReader,
        writer: asyncio.StreamWriter,
        from_server: asyncio.StreamReader,
        to_server: asyncio.StreamWriter,
    ) -> None:
        """Relay a request and its response; the next request needs a new connection.

        So later bytes on this connection can never reach another server.
        """
        sending = asyncio.create_task(self._relay(reader, to_server, size=head.content_length))
        try:
            response = await from_server.readuntil(b"\r\n\r\n")
            while response[9:10] == b"1":  # interim responses: the browser needs none of them
                response = await from_server.readuntil(b"\r\n\r\n")
            self._count(len(response))
            writer.write(closing_head(response))
            await self._relay(from_server, writer, counted=True)
        finally:
            sending.cancel()
            await asyncio.gather(sending, return_exceptions=True)

    async def _relay(
        self,
        source: asyncio.StreamReader,
        sink: asyncio.StreamWriter,
        *,
        size: int | None = None,
        counted: bool = False,
    ) -> None:
        """Copy until the end, or ``size`` bytes."""
        while size is None or size > 0:
            piece = await source.read(PIECE if size is None else min(size, PIECE))
            if not piece:
                return
            size = None if size is None else size - len(piece)
            if counted:
                self._count(len(piece))
            sink.write(piece)
            await sink.drain()

    def _count(self, size: int) -> None:
        self._left -= size
        if self._left < 0:
            self.exceed(f"more than {self._max_bytes} bytes")
            raise TooMuch
