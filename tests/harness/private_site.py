"""A site behind a login, where each visitor sees another page."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field

from aiohttp import web

from tests.harness.waiting import until
from tests.harness.web import served

PUBLIC = "<p>Please log in"


@dataclass
class PrivateSite:
    """One page; ``texts`` are what visitors see, by their header ``Authorization``."""

    url: str = ""
    texts: dict[str, str] = field(default_factory=dict)
    asked: list[str] = field(default_factory=list)

    async def answer(self, request: web.Request) -> web.Response:
        """Answer one request."""
        if request.path == "/robots.txt":
            return web.Response(status=404)
        who = request.headers.get("Authorization", "")
        self.asked.append(who)
        return web.Response(text=self.texts.get(who, PUBLIC), content_type="text/html")

    async def visited(self, who: str, times: int = 2) -> None:
        """Wait for so many more visits with a header; after two, what the first saw is stored."""
        wanted = self.asked.count(who) + times
        await until(lambda: self.asked.count(who) >= wanted, f"{who} visits {times} times")


@asynccontextmanager
async def private_site() -> AsyncIterator[PrivateSite]:
    """Serve the page."""
    site = PrivateSite()
    async with served(site.answer) as (base,):
        site.url = f"{base}/news"
        yield site
