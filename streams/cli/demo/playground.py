"""A local page that changes, and a webhook that receives notifications, for the demo."""

import json
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from itertools import cycle
from typing import Any

from aiohttp import web

HOST = "127.0.0.1"

TEXTS = (
    "The giant with a hundred eyes guards the cow Io. The story is part of Greek mythology.",
    "The giant Argus Panoptes guards the cow Io. The story is part of Ovid's Metamorphoses.",
)
"""Two sentences, in two editions between which the page alternates."""

PAGE = "<html><head><title>Giants</title></head><body><p>{}</p></body></html>"


class Playground:
    """Serves the page at ``page`` and receives notifications at ``hook``."""

    def __init__(self, received: Callable[[dict[str, Any]], None]) -> None:
        """``received`` is called with every notification's body."""
        self.page = ""
        self.hook = ""
        self._received = received
        self._texts = cycle(TEXTS)
        self.text = next(self._texts)

    def change(self) -> None:
        """Switch the page to its other text."""
        self.text = next(self._texts)

    @asynccontextmanager
    async def open(self) -> AsyncIterator[None]:
        """Serve on a free local port."""
        app = web.Application()
        app.add_routes(
            [
                web.get("/giants", self._serve),
                web.post("/hook", self._receive),
                web.get("/hook", self._confirm),
            ]
        )
        runner = web.AppRunner(app, access_log=None)
        await runner.setup()
        try:
            site = web.TCPSite(runner, HOST, 0)
            await site.start()
            port = runner.addresses[0][1]
            self.page = f"http://{HOST}:{port}/giants"
            self.hook = f"http://{HOST}:{port}/hook"
            yield
        finally:
            await runner.cleanup()

    async def _serve(self, _: web.Request) -> web.Response:
        return web.Response(text=PAGE.format(self.text), content_type="text/html")

    async def _confirm(self, request: web.Request) -> web.Response:
        """Accept notifications by echoing the challenge."""
        return web.Response(text=request.query["challenge"])

    async def _receive(self, request: web.Request) -> web.Response:
        self._received(json.loads(await request.read()))
        return web.Response(status=204)
