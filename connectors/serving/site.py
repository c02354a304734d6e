"""Serve an application on a port, within the limits of this package."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from functools import partial

from aiohttp import web

from connectors.serving.handler import ConnectionHandler, Refuse, refuse_in_text
from connectors.serving.protocol import KEEPALIVE_S, Connection, Connections

LINGER_S = 5.0
"""Seconds to read the rest of a body not wanted by its handler."""
MAX_LINE = 8190


@asynccontextmanager
async def served(
    app: web.Application,
    host: str,
    port: int,
    *,
    max_line: int = MAX_LINE,
    refuse: Refuse = refuse_in_text,
) -> AsyncIterator[int]:
    """Serve until left, on a free port for port 0; return the port.

    ``max_line`` is in bytes: of a request's first line. ``refuse`` returns the answer to a
    malformed request. A handler is cancelled when its client is gone, so there are never more
    handlers than connections. Raises OSError if the port is in use.
    """
    connections = Connections()
    app.middlewares.insert(0, connections.middleware())
    runner = web.AppRunner(app, handler_cancellation=True)
    await runner.setup()
    assert runner.server is not None
    handle = partial(
        ConnectionHandler,
        runner.server,
        refuse,
        access_log=None,
        keepalive_timeout=KEEPALIVE_S,
        lingering_time=LINGER_S,
        max_line_size=max_line,
    )
    try:
        server = await asyncio.get_running_loop().create_server(
            lambda: Connection(connections, handle()), host, port
        )
        try:
            yield server.sockets[0].getsockname()[1]
        finally:
            server.close()
    finally:
        await runner.cleanup()
