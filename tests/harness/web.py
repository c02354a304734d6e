"""An HTTP server on free ports of loopback."""

from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import ExitStack, asynccontextmanager
from socket import create_server, socket

from aiohttp import web

HOST = "127.0.0.1"

_used: set[int] = set()
"""Ports of servers of this process: a deployment remembers for a while that one has ended."""

Handler = Callable[[web.Request], Awaitable[web.StreamResponse]]


def _fresh() -> socket:
    """Listen on a port that no server of this process had."""
    with ExitStack() as others:  # held until then, for the system gives each once
        while True:
            found = create_server((HOST, 0))
            port = found.getsockname()[1]
            if port not in _used:
                _used.add(port)
                return found
            others.enter_context(found)


@asynccontextmanager
async def served(handler: Handler, ports: int = 1) -> AsyncIterator[list[str]]:
    """Serve every request with ``handler``; yields the base URL of each port."""
    app = web.Application()
    app.router.add_route("*", "/{path:.*}", handler)
    # A request that a worker left hanging when it was killed is not waited for.
    runner = web.AppRunner(app, access_log=None, shutdown_timeout=1)
    await runner.setup()
    try:
        for _ in range(ports):
            await web.SockSite(runner, _fresh()).start()
        yield [f"http://{HOST}:{address[1]}" for address in runner.addresses]
    finally:
        await runner.cleanup()
