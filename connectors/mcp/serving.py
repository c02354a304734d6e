"""MCP by streamable HTTP, next to the REST API: the SDK's application, served by aiohttp."""

import asyncio
from collections.abc import Awaitable, Callable
from contextlib import suppress
from typing import Any

import aiohttp
import structlog
from aiohttp import web

from connectors.api.answers import answer
from connectors.mcp.calls import RestCalls
from schemas.records.codes import Code

log = structlog.get_logger()

MISSING = "This deployment has no MCP server: install it with pip install 'vokter[mcp]'."
LOOK_S = 5.0
"""Seconds between checks of an open stream's client."""

Application = Callable[[Any, Any, Any], Awaitable[None]]
"""An ASGI application."""


class McpHandler:
    """The handler of /mcp, which asks the REST API with the key of each request.

    The SDK is imported at the first request: few deployments need the SDK, which takes 30 MB.
    """

    def __init__(self, api: str) -> None:
        """``api`` is the root of the API's URLs."""
        self._api = api
        self._is_over = asyncio.Event()
        self._running: tuple[asyncio.Task[None], asyncio.Future[Application]] | None = None

    async def handle(self, request: web.Request) -> web.StreamResponse:
        """Answer a request; 405 without the extra vokter[mcp]."""
        if self._running is None or self._running[0].done():
            ready: asyncio.Future[Application] = asyncio.get_running_loop().create_future()
            self._running = asyncio.create_task(self._run(ready)), ready
        try:
            app = await asyncio.shield(self._running[1])
        except ImportError:
            return answer(Code.NO_SUCH_METHOD, detail=MISSING)
        return await _Exchange(request, self._is_over).run(app)

    async def close(self) -> None:
        """End all streams."""
        self._is_over.set()
        if self._running is not None:
            await asyncio.wait([self._running[0]])

    async def _run(self, ready: "asyncio.Future[Application]") -> None:
        try:
            manager = await asyncio.to_thread(_session_manager)
            # The API bounds streams and requests: with a bound here calls would wait for streams.
            connector = aiohttp.TCPConnector(limit=0)
            async with aiohttp.ClientSession(connector=connector) as http:

                def calls_of(context: Any) -> RestCalls:
                    headers = context.request.headers
                    return RestCalls(http, self._api, headers.get("authorization"))

                # Each request carries its caller's key: there is no session to be taken by others.
                async with (sessions := manager(calls_of)).run():
                    ready.set_result(sessions.handle_request)
                    await self._is_over.wait()
        except Exception as error:  # noqa: BLE001 - the next request starts it again
            if not ready.done():
                ready.set_exception(error)
            log.warning("the MCP server does not run", error=repr(error), once_a_minute="mcp")


def _session_manager() -> Callable[[Any], Any]:
    from mcp.server.streamable_http_manager import StreamableHTTPSessionManager  # noqa: PLC0415 - an extra

    from connectors.mcp.server import build  # noqa: PLC0415 - as above

    return lambda calls_of: StreamableHTTPSessionManager(build(calls_of), stateless=True)


class _Exchange:
    """A request as an ASGI application receives and answers the request."""

    def __init__(self, request: web.Request, is_over: asyncio.Event) -> None:
        self._request = request
        self._response = web.StreamResponse()
        self._is_read = False
        self._is_over = is_over

    async def run(self, app: Application) -> web.StreamResponse:
        request = self._request
        scope = {
            "type": "http",
            "asgi": {"version": "3.0"},
            "http_version": "1.1",
            "method": request.method,
            "scheme": request.scheme,
            "path": request.path,
            "raw_path": request.rel_url.raw_path.encode(),
            "query_string": request.query_string.encode(),
            "root_path": "",
            "headers": [(name.lower(), value) for name, value in request.raw_headers],
            "client": None,
            "server": None,
        }
        await app(scope, self._receive, self._send)
        return self._response

    async def _receive(self) -> dict[str, Any]:
        if not self._is_read:
            self._is_read = True
            return {"type": "http.request", "body": await self._request.read()}
        while not self._is_over.is_set():
            transport = self._request.transport
            if transport is None or transport.is_closing():
                break
            with suppress(TimeoutError):
                await asyncio.wait_for(self._is_over.wait(), LOOK_S)
        return {"type": "http.disconnect"}

    async def _send(self, message: dict[str, Any]) -> None:
        if message["type"] == "http.response.start":
            self._response.set_status(message["status"])
            for name, value in message.get("headers", ()):
                self._response.headers.add(name.decode("latin-1"), value.decode("latin-1"))
            await self._response.prepare(self._request)
        elif message["type"] == "http.response.body":
            await self._response.write(message.get("body", b""))
            if not message.get("more_body"):
                await self._response.write_eof()
