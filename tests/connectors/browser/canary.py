"""A server that must not be reached, on every address of the loopback and by UDP too."""

import asyncio
import socket
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass, field


@dataclass
class Canary:
    """What has reached it: the first bytes of each connection, and datagrams."""

    port: int = 0
    hits: list[str] = field(default_factory=list)

    async def serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        data = b""
        with suppress(OSError, TimeoutError):
            async with asyncio.timeout(2):
                data = await reader.read(200)
        self.hits.append(data.split(b" HTTP")[0].decode("latin-1"))
        writer.write(b"HTTP/1.1 200 OK\r\nContent-Length: 2\r\nConnection: close\r\n")
        writer.write(b"Access-Control-Allow-Origin: *\r\n\r\nok")
        writer.close()


class _Datagrams(asyncio.DatagramProtocol):
    def __init__(self, canary: Canary) -> None:
        self._canary = canary

    def datagram_received(self, data: bytes, addr: tuple[str, int]) -> None:
        self._canary.hits.append("UDP")


@asynccontextmanager
async def canaries() -> AsyncIterator[Canary]:
    canary, loop = Canary(), asyncio.get_running_loop()
    servers = [await asyncio.start_server(canary.serve, "127.0.0.1", 0)]
    canary.port = servers[0].sockets[0].getsockname()[1]
    if socket.has_ipv6:
        with suppress(OSError):  # a machine without IPv6
            servers.append(await asyncio.start_server(canary.serve, "::1", canary.port))
    address = ("127.0.0.1", canary.port)
    transport, _ = await loop.create_datagram_endpoint(lambda: _Datagrams(canary), address)
    try:
        yield canary
    finally:
        transport.close()
        for server in servers:
            server.close()
