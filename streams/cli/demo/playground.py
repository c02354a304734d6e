"""Local pages that change, and a webhook that receives notifications, for the demo."""

import json
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from typing import Any

from aiohttp import web

from streams.cli.demo.town import PAGES, TownPage

HOST = "127.0.0.1"


class Playground:
    """Serves the pages at ``base`` and receives notifications at ``hook``."""

    def __init__(self, received: Callable[[dict[str, Any]], None]) -> None:
        """``received`` is called with every notification's body."""
        self.base = ""
        self._received = received
        self._editions = dict.fromkeys(PAGES, 0)

    @property
    def hook(self) -> str:
        """Where notifications are received."""
        return f"{self.base}/hook"

    def url(self, page: TownPage) -> str:
        """Return the address of a page."""
        return self.base + page.path

    def change(self, page: TownPage) -> None:
        """Switch a page to its next edition."""
        self._editions[page] += 1

    @asynccontextmanager
    async def open(self) -> AsyncIterator[None]:
        """Serve on a free local port."""
        app = web.Application()
        app.add_routes(
            [
                *(web.get(page.path, self._serving(page)) for page in PAGES),
                web.post("/hook", self._receive),
                web.get("/hook", self._confirm),
            ]
        )
        runner = web.AppRunner(app, access_log=None)
        await runner.setup()
        try:
            site = web.TCPSite(runner, HOST, 0)
            await site.start()
            self.base = f"http://{HOST}:{runner.addresses[0][1]}"
            yield
        finally:
            await runner.cleanup()

    def _serving(self, page: TownPage) -> Any:
        async def serve(_: web.Request) -> web.Response:
            return web.Response(text=page.html(self._editions[page]), content_type="text/html")

        return serve

    async def _confirm(self, request: web.Request) -> web.Response:
        """Accept notifications by echoing the challenge."""
        return web.Response(text=request.query["challenge"])

    async def _receive(self, request: web.Request) -> web.Response:
        self._received(json.loads(await request.read()))
        return web.Response(status=204)
