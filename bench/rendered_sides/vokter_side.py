"""Visits a page with Vokter's renderer: URL, number of visits, path of a browser."""

import asyncio
import sys

from connectors.browser.renderer import BrowserRoute, Renderer
from connectors.http.egress import EgressGuard
from schemas.records.answers import PageQuery
from schemas.records.egress_policy import EgressPolicy
from schemas.records.page_requests import PageRequest
from schemas.records.rendering import Rendering, WaitFor


async def main(url: str, visits: str, browser: str) -> None:
    """Visit it so many times."""
    routes = {"": BrowserRoute(EgressGuard(EgressPolicy(["127.0.0.1/32"])), _allowed)}
    request = PageRequest(rendering=Rendering(WaitFor(selector="#ready")))
    async with Renderer(browser, routes, "Vokter bench", count=1) as renderer:
        for _ in range(int(visits)):
            page = await renderer.render(PageQuery(url, request=request))
            assert b"item 199" in page.body


async def _allowed(_: str) -> str | None:
    return None


if __name__ == "__main__":
    asyncio.run(main(*sys.argv[1:]))
