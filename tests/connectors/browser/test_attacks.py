"""A page cannot make the browser reach what the egress policy refuses, in any way we know."""

import asyncio
import socket
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

import pytest
from aiohttp import web
from aiohttp.abc import ResolveResult

from connectors.browser.renderer import Renderer
from connectors.http.errors import FetchFailed
from connectors.http.resolver import ThreadedResolver
from schemas.records.answers import PageQuery
from tests.connectors.browser.attacks import IN_A_PAGE, INSTEAD, spelled
from tests.connectors.browser.canary import Canary, canaries
from tests.harness.browser import browser_path, renderer
from tests.harness.web import served

NAMES = {
    "evil.test": ["127.0.0.1"],
    "metadata.test": ["169.254.169.254"],
    "mapped.test": ["::ffff:127.0.0.1"],
    "six.test": ["::1"],
}
"""Host names, and the addresses that their servers lie about."""
METADATA = "169.254.169.254"
HITTING = set(IN_A_PAGE) - {
    # Our browser does not follow these, or not from such a page; a later one may.
    "secure-websocket",
    "web-transport",
    "web-rtc",
    "web-rtc-candidate",
    "dns-prefetch",
    "preconnect",
    "service-worker",
    "xslt",
    "file-frame",
    "view-source",
    "https",
    "icon",
    "manifest",
    "prerender",
    "ping",
    "svg-use",
    "track",
    "window",
}
"""Ways that reach an open server, which proves that this page tries them."""


class Attacks:
    """The server of the pages that attack, which are asked for by name."""

    def __init__(self) -> None:
        self.pages: dict[str, str] = {}
        self.url = ""

    @property
    def at(self) -> str:
        return self.url.removeprefix("http://")

    def page(self, name: str, ways: dict[str, str], at: str) -> str:
        body = "\n".join(text.format(at=at, own=self.at, way=way) for way, text in ways.items())
        self.pages[f"/{name}"] = f"<!doctype html><title>a</title><p>here</p>\n{body}"
        return f"{self.url}/{name}"

    async def answer(self, request: web.Request) -> web.Response:
        target, path = request.query_string, request.path
        if path == "/to":
            return web.Response(status=302, headers={"Location": target})
        if path == "/worker.js":
            script = f"fetch('{target}', {{mode: 'no-cors'}}).catch(() => 0)"
            return web.Response(text=script, content_type="text/javascript")
        if path == "/xslt":
            sheet = f'<?xml-stylesheet type="text/xsl" href="{target}"?>'
            document = f'<?xml version="1.0"?>{sheet}<!DOCTYPE a SYSTEM "{target}"><a/>'
            return web.Response(text=document, content_type="text/xml")
        if path == "/report":
            policy = {"Content-Security-Policy": f"script-src 'none'; report-uri {target}"}
            return web.Response(text="<script>1</script>", content_type="text/html", headers=policy)
        return web.Response(text=self.pages.get(path, ""), content_type="text/html")


@asynccontextmanager
async def attacks() -> AsyncIterator[Attacks]:
    attacks = Attacks()
    async with served(attacks.answer) as (url,):
        attacks.url = url
        yield attacks


@pytest.fixture(autouse=True)
def resolved(monkeypatch: pytest.MonkeyPatch) -> None:
    """Names of these tests lead where their owner wants them to, whatever the machine's DNS."""
    real = ThreadedResolver.resolve

    async def resolve(self: Any, host: str, port: int = 0, family: Any = socket.AF_INET) -> Any:
        for address in NAMES.get(host, ()):
            of = socket.AF_INET6 if ":" in address else socket.AF_INET
            return [
                ResolveResult(hostname=host, host=address, port=port, family=of, proto=0, flags=0)
            ]
        return await real(self, host, port, family)

    monkeypatch.setattr(ThreadedResolver, "resolve", resolve)


@pytest.fixture(autouse=True)
def pictures(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let pages load what they otherwise may not: more ways out to try."""
    monkeypatch.setattr("connectors.browser.visit.BLOCKED", frozenset())


async def attacked(rendering: Renderer, url: str) -> None:
    """Render a page, whatever comes of it."""
    try:
        await rendering.render(PageQuery(url))
    except FetchFailed:
        return


def ways_of(canary: Canary) -> set[str]:
    return {hit.partition("/")[2].partition("?")[0] for hit in canary.hits}


async def test_no_way_of_a_page_reaches_a_refused_address() -> None:
    async with canaries() as canary, attacks() as site, renderer([canary.port]) as rendering:
        await attacked(rendering, site.page("all", IN_A_PAGE, f"127.0.0.1:{canary.port}"))
        await attacked(rendering, site.page("metadata", IN_A_PAGE, METADATA))
        for way, text in INSTEAD.items():
            await attacked(rendering, site.page(way, {way: text}, f"127.0.0.1:{canary.port}"))
    assert canary.hits == []


async def test_no_spelling_or_name_of_a_refused_address_reaches_it() -> None:
    async with canaries() as canary, attacks() as site, renderer([canary.port]) as rendering:
        site.pages["/spelled"] = spelled(canary.port)
        await attacked(rendering, f"{site.url}/spelled")
        site.pages["/named"] = "".join(
            IN_A_PAGE[way].format(at=f"{name}:{canary.port}", way=way)
            for name in NAMES
            for way in ("script", "iframe", "websocket", "image")
        )
        await attacked(rendering, f"{site.url}/named")
        for name in NAMES:
            with pytest.raises(FetchFailed, match="not allowed"):
                await rendering.render(PageQuery(f"http://{name}:{canary.port}/"))
    assert canary.hits == []


async def test_a_name_that_leads_elsewhere_from_the_second_look_up_on_is_refused_there() -> None:
    NAMES["rebound.test"] = ["127.0.0.1"]
    async with attacks() as site, renderer() as rendering:
        port = int(site.at.partition(":")[2])
        page = site.page("again", {"fetch": '<script>fetch("/to?/second")</script>'}, "")
        seen: list[str] = []

        async def canary(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
            seen.append("reached")
            writer.close()

        try:
            server = await asyncio.start_server(canary, "127.0.0.2", port)
        except OSError:
            pytest.skip("127.0.0.2 is no address of this machine")
        async with server:
            url = page.replace("127.0.0.1", "rebound.test")
            assert (await rendering.render(PageQuery(url))).status == 200
            NAMES["rebound.test"] = ["127.0.0.2"]
            with pytest.raises(FetchFailed, match=r"address rebound\.test is private"):
                await rendering.render(PageQuery(url))
    assert seen == []


@pytest.mark.slow  # the control of the tests above
async def test_the_same_page_reaches_the_server_if_the_policy_allows_it() -> None:
    async with canaries() as canary, attacks() as site, renderer() as rendering:
        await attacked(rendering, site.page("all", IN_A_PAGE, f"127.0.0.1:{canary.port}"))
        for way, text in INSTEAD.items():
            await attacked(rendering, site.page(way, {way: text}, f"127.0.0.1:{canary.port}"))
    ways = HITTING | {"location", "meta-refresh", "form", "click"}
    if "headless-shell" in browser_path():
        ways -= {"pdf"}  # only a browser with windows shows one
    assert ways - ways_of(canary) == set()
    assert "UDP" not in canary.hits
