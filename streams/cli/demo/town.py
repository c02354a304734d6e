"""The pages of the demo, of a small town, and the server with them and a webhook."""

import json
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass
from typing import Any

from aiohttp import web

from infra.ports import free_or_any

HOST, PORT = "127.0.0.1", 9080
"""The address of the pages; any free port if taken."""
Received = Callable[[str, dict[str, Any]], None]
"""Called with the path of a receiver, and the body of each notification."""

STYLE = """
body { font: 17px/1.55 Georgia, serif; max-width: 42rem; margin: 2.5rem auto; color: #222 }
header { color: #67504b; font: 600 13px system-ui, sans-serif; letter-spacing: .06em }
h1 { margin: .2em 0 .6em } h2 { margin: 1.4em 0 .2em; font-size: 1.1em }
table { border-collapse: collapse; width: 100% } td, th { padding: .4em .6em; text-align: left }
tr { border-bottom: 1px solid #ddd }
"""

GIANTS = (
    "The giant with a hundred eyes guards the cow Io. The story is part of Greek mythology.",
    "The giant Argus Panoptes guards the cow Io. The story is part of Ovid's Metamorphoses.",
)
"""Two sentences, in two editions."""


@dataclass(frozen=True, slots=True)
class TownPage:
    """A page with alternating editions, and the watched words."""

    path: str
    title: str
    editions: tuple[str, ...]
    keywords: tuple[str, ...]
    tag: str
    select: str | None = None
    """The CSS selector of the watched part; the whole page if there is none."""

    def html(self, edition: int) -> str:
        """Return the page in its edition of a number, counted round."""
        body = self.editions[edition % len(self.editions)]
        return (
            f'<!doctype html><html lang="en"><meta charset="utf-8"><title>{self.title}</title>'
            f"<style>{STYLE}</style><body><header>ARGOS-ON-SEA</header>"
            f"<main><h1>{self.title}</h1>{body}</main></body></html>"
        )


def _shop(reading: str, storm: str) -> str:
    rows = (("Reading lamp", reading), ("Storm lantern", storm), ("Candle, 12 hours", "€4.00"))
    cells = "".join(f"<tr><td>{name}</td><td>{state}</td></tr>" for name, state in rows)
    return f"<table id='lamps'><tr><th>Lamp</th><th>Price</th></tr>{cells}</table>"


def _ferry(island: str, night: str) -> str:
    return (
        f"<h2>Island ferry</h2><p>{island}</p><h2>Night boat</h2><p>{night}</p>"
        "<p>Tickets are sold on the quay until ten minutes before a boat leaves.</p>"
    )


def _jobs(*more: str) -> str:
    jobs = ("Gardener, Monday to Wednesday", *more, "Keeper of the clocks")
    return "<ul>" + "".join(f"<li>{job}</li>" for job in jobs) + "</ul>"


PAGES = (
    TownPage(
        "/giants",
        "Giants",
        tuple(f"<p>{text}</p>" for text in GIANTS),
        ("argus panoptes", "greek", "giant"),
        "reading",
    ),
    TownPage(
        "/lamps",
        "Lamp shop",
        (
            _shop("€49.00", "sold out"),
            _shop("€39.00", "sold out"),
            _shop("€39.00", "€85.00, in stock again"),
            _shop("€49.00", "€85.00"),
        ),
        ("in stock", "sold out", "€39.00"),
        "shopping",
        "#lamps",
    ),
    TownPage(
        "/ferries",
        "Harbour",
        (
            _ferry("All boats leave on time.", "Leaves at 23:10 from quay 2."),
            _ferry("Delayed by 40 minutes because of fog.", "Leaves at 23:10 from quay 2."),
            _ferry("All boats leave on time.", "Cancelled tonight because of the storm."),
        ),
        ("delayed", "cancelled", "quay"),
        "town",
    ),
    TownPage(
        "/observatory",
        "Work at the observatory",
        (
            _jobs(),
            _jobs("Night assistant, two nights a week"),
            _jobs("Night assistant, three nights a week", "Astronomer for the winter"),
        ),
        ("assistant", "astronomer"),
        "town",
    ),
)


class Playground:
    """Serves the pages at ``base`` and receives notifications at ``hook`` and ``yours``."""

    def __init__(self, received: Received) -> None:
        self.base = ""
        self._received = received
        self._editions = dict.fromkeys(PAGES, 0)

    @property
    def hook(self) -> str:
        """The URL at which the demo's own notifications are received."""
        return f"{self.base}/hook"

    @property
    def yours(self) -> str:
        """The URL for notifications of the user's trials."""
        return f"{self.base}/yours"

    def url(self, page: TownPage) -> str:
        """Return the address of a page."""
        return self.base + page.path

    def change(self, page: TownPage) -> None:
        """Switch a page to its next edition."""
        self._editions[page] += 1

    @asynccontextmanager
    async def open(self) -> AsyncIterator[None]:
        """Serve on a local port."""
        app = web.Application()
        app.add_routes(
            [
                *(web.get(page.path, self._serving(page)) for page in PAGES),
                *(web.post(path, self._receive) for path in ("/hook", "/yours")),
                *(web.get(path, self._confirm) for path in ("/hook", "/yours")),
            ]
        )
        runner = web.AppRunner(app, access_log=None)
        await runner.setup()
        try:
            site = web.TCPSite(runner, HOST, free_or_any(PORT))
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
        self._received(request.path, json.loads(await request.read()))
        return web.Response(status=204)
