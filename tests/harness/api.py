"""The API's server with some of its handlers; the others are never asked."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

from aiohttp import web

from connectors.access.keys import ApiKeys
from connectors.access.rates import CallRates
from connectors.api.admission import access_middleware
from connectors.api.http_errors import http_errors
from connectors.api.server import serve
from connectors.serving import BASE
from infra.ports import any_free


async def unasked(request: web.Request) -> web.Response:
    """Fail: no test asks for it."""
    raise AssertionError(request.path)


class Some:
    """The handlers that are given, and others, which are never asked."""

    def __init__(self, **handlers: Any) -> None:
        vars(self).update(handlers)

    def __getattr__(self, name: str) -> Any:
        return unasked


class Handlers(Some):
    """The same of all rooms of the API."""

    mcp = staticmethod(unasked)

    def __getattr__(self, name: str) -> Any:
        return Some()


@asynccontextmanager
async def serving_api(keys: Path, **handlers: Any) -> AsyncIterator[str]:
    """Serve with these handlers, on a port of loopback; yields the base URL."""
    asked: dict[str, Any] = {
        "jobs": Some(asking=lambda _: unasked),
        "events": Some(close=lambda: None),
    }
    every: Any = Handlers(**(asked | handlers))
    guard = access_middleware(ApiKeys(keys), CallRates(lambda: 0.0))
    port = any_free()
    async with serve(every, [http_errors, guard], "127.0.0.1", port):
        yield f"http://127.0.0.1:{port}{BASE}"
