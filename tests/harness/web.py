"""An HTTP server on free ports of loopback."""

from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager

from aiohttp import web

HOST = "127.0.0.1"

Handler = Callable[[web.Request], Awaitable[web.StreamResponse]]


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
            await web.TCPSite(runner, HOST, 0).start()
        yield [f"http://{HOST}:{address[1]}" for address in runner.addresses]
    finally:
        await runner.cleanup()
