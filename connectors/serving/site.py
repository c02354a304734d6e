"""Serve an application on a port, within the limits of this package."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

from aiohttp import web

from connectors.serving.protocol import KEEPALIVE_S, Connection, Connections

LINGER_S = 5.0
"""For how long the rest of a body is read that its handler did not want."""
MAX_LINE = 8190


@asynccontextmanager
async def served(
    app: web.Application, host: str, port: int, max_line: int = MAX_LINE
) -> AsyncIterator[int]:
    """Serve until left, on a free port if it is 0; return the port.

    ``max_line`` is in bytes: of a request's first line. A handler is cancelled when its client
    is gone, so that there are never more handlers than connections. Raises OSError if the
    port is in use.
    """
    connections = Connections()
    app.middlewares.insert(0, connections.middleware())
    runner = web.AppRunner(
        app,
        access_log=None,
        handler_cancellation=True,
        keepalive_timeout=KEEPALIVE_S,
        lingering_time=LINGER_S,
        max_line_size=max_line,
    )
    await runner.setup()
    try:
        new_handler = runner.server
        assert new_handler is not None
        server = await asyncio.get_running_loop().create_server(
            lambda: Connection(connections, new_handler()), host, port
        )
        try:
            yield server.sockets[0].getsockname()[1]
        finally:
            server.close()
    finally:
        await runner.cleanup()
