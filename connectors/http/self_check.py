"""Proof, at the start of a process, that aiohttp still lets Vokter limit what it receives."""

import asyncio

import aiohttp
from aiohttp import ClientError, ClientSession, ClientTimeout, TCPConnector

from connectors.http.aiohttp_limits import enforce_limits
from connectors.http.limits import Limits

_LIMITS = Limits(head=8_000, wire=16_000)
_HEAD = b"HTTP/1.1 200 OK\r\nContent-Length: 20000\r\n"
_TOO_LARGE = {
    "headers": _HEAD + 12 * (b"X: " + 995 * b"x" + b"\r\n") + b"\r\n",
    "body": _HEAD + b"\r\n" + 20_000 * b"x",
}
_TIMEOUT_S = 5.0


class LimitsNotEnforced(RuntimeError):
    """The installed aiohttp accepts responses of any size; the text says what to do."""


async def verify_limits() -> None:
    """Raise LimitsNotEnforced unless responses that are too large are refused.

    ``enforce_limits`` replaces a private part of aiohttp. Were it renamed, the limits would
    be off and nothing would show it, so each limit is checked on a response from loopback.
    """
    for part, response in _TOO_LARGE.items():
        if not await _is_refused(response):
            raise LimitsNotEnforced(
                f"aiohttp {aiohttp.__version__} does not enforce Vokter's limit on the {part} of "
                "a response, so a server could exhaust this process's memory. Install the "
                "version of aiohttp that Vokter requires: "
                "pip install --force-reinstall 'vokter[server]'"
            )


async def _is_refused(response: bytes) -> bool:
    async def respond(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await reader.readuntil(b"\r\n\r\n")
        writer.write(response)
        writer.close()

    server = await asyncio.start_server(respond, "127.0.0.1", 0)
    host, port = server.sockets[0].getsockname()
    try:
        async with ClientSession(connector=TCPConnector()) as session:
            enforce_limits(session, _LIMITS)
            timeout = ClientTimeout(total=_TIMEOUT_S)
            async with session.get(f"http://{host}:{port}/", timeout=timeout) as got:
                await got.read()
    except ClientError as error:
        return "larger than" in str(error)
    finally:
        server.close()
    return False
