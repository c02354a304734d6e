"""The API's server with some of its handlers; the others are never asked."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any
from unittest.mock import AsyncMock, Mock

from connectors.access.keys import ApiKeys
from connectors.access.rates import CallRates
from connectors.api.admission import access_middleware
from connectors.api.http_errors import http_errors
from connectors.api.server import BASE, serve
from infra.ports import any_free


@asynccontextmanager
async def serving_api(keys: Path, **handlers: Any) -> AsyncIterator[str]:
    """Serve with these handlers, on a port of loopback; yields the base URL."""
    unasked = {"jobs": Mock(asking=lambda _: AsyncMock()), "events": Mock()}
    every: Any = AsyncMock(**(unasked | handlers))
    guard = access_middleware(ApiKeys(keys), CallRates(lambda: 0.0))
    port = any_free()
    async with serve(every, [http_errors, guard], "127.0.0.1", port):
        yield f"http://127.0.0.1:{port}{BASE}"
