"""Hosts and receivers that accept a request and never answer it."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

from aiohttp import web

from tests.harness.web import served


class Hanging:
    """A server at ``base``; ``held`` are the paths of requests that a client still waits for."""

    def __init__(self) -> None:
        self.base = ""
        self.held: list[str] = []
        self._end = asyncio.Event()

    async def answer(self, request: web.Request) -> web.Response:
        """Hold a request until the server ends."""
        self.held.append(request.path)
        try:
            await self._end.wait()
        finally:
            self.held.remove(request.path)
        return web.Response(status=503)

    def end(self) -> None:
        """Answer all."""
        self._end.set()


@asynccontextmanager
async def hanging() -> AsyncIterator[Hanging]:
    """Listen until left."""
    slow = Hanging()
    async with served(slow.answer) as urls:
        slow.base = urls[0]
        try:
            yield slow
        finally:
            slow.end()
