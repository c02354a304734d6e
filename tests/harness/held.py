"""A page that answers one reader late, with an old text."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from itertools import count

from aiohttp import web

from tests.harness.web import served

PATH = "/giants"


class HeldPage:
    """Its second request waits for the gate, and is then answered with an old text."""

    def __init__(self, url: str) -> None:
        self.url = url
        self.text = "zeus"
        self.is_held = False
        self.gate = asyncio.Event()
        self._numbers = count(1)

    async def answer(self, request: web.Request) -> web.Response:
        if request.path != PATH:
            return web.Response(status=404)  # no robots.txt
        if next(self._numbers) == 2:
            self.is_held = True
            await self.gate.wait()
            return web.Response(text="kronos")
        return web.Response(text=self.text)


@asynccontextmanager
async def held_page() -> AsyncIterator[HeldPage]:
    """Serve it until left."""
    page = HeldPage(PATH)
    async with served(page.answer) as urls:
        page.url = urls[0] + PATH
        yield page
        page.gate.set()
