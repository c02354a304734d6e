"""Measure rendered visits: CPU, memory and visits a minute; ``python -m bench.rendering``."""

import argparse
import asyncio
import resource
import statistics
import time
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

import psutil
from aiohttp import web

from connectors.browser.finding import find_browser
from connectors.browser.renderer import BrowserRoute, Renderer, RenderLimits
from connectors.http.egress import EgressGuard
from schemas.records.answers import PageQuery
from schemas.records.egress_policy import EgressPolicy
from schemas.records.page_requests import PageRequest
from schemas.records.rendering import Rendering, WaitFor

ITEMS = 200
PAGE = f"""<!doctype html><title>Prices</title><ul id=list></ul><script>
fetch("/data").then(answer => answer.json()).then(items => {{ for (const item of items) {{
  const line = document.createElement("li"); line.textContent = item; list.append(line) }}
  list.id = "ready" }})</script><script src="/more.js"></script>{"<p>text</p>" * 500}"""


async def main(visits: int) -> None:
    """Print what a visit costs when one page is rendered at a time."""
    async with served_page() as url:
        await _measure(url, visits)


async def _measure(url: str, visits: int) -> None:
    guard = EgressGuard(EgressPolicy(["127.0.0.1/32"]))
    for name, request in (
        ("until it is quiet", PageRequest()),
        ("waitFor selector", PageRequest(rendering=Rendering(WaitFor(selector="#ready")))),
    ):
        limits = RenderLimits(visits=visits + 2)
        async with Renderer(
            find_browser(),
            {"": BrowserRoute(guard, _allowed)},
            "Vokter bench",
            count=1,
            limits=limits,
        ) as renderer:
            await renderer.render(PageQuery(url, request=request))
            before, begun, times = _cpu(), time.monotonic(), []
            for _ in range(visits):
                started = time.monotonic()
                await renderer.render(PageQuery(url, request=request))
                times.append(time.monotonic() - started)
            spent, took = _cpu() - before, time.monotonic() - begun
            memory = max(each.memory() for each in renderer._idle) / 1e6  # noqa: SLF001  # measured
        print(
            f"{name}: {spent / visits:.2f} s of CPU a visit, "
            f"{statistics.median(times):.2f} s median, "
            f"{60 * visits / took:.0f} visits a minute, "
            f"{60 * visits / spent:.0f} a minute and core, "
            f"{memory:.0f} MB"
        )


@asynccontextmanager
async def served_page() -> AsyncIterator[str]:
    """Serve a page that needs its scripts; yields its URL."""

    async def answer(request: web.Request) -> web.Response:
        if request.path == "/data":
            return web.json_response([f"item {number}" for number in range(ITEMS)])
        if request.path == "/more.js":
            return web.Response(text="a = 0;" * 5_000, content_type="text/javascript")
        return web.Response(text=PAGE, content_type="text/html")

    app = web.Application()
    app.router.add_route("*", "/{path:.*}", answer)
    runner = web.AppRunner(app, access_log=None)
    await runner.setup()
    await web.TCPSite(runner, "127.0.0.1", 0).start()
    yield f"http://127.0.0.1:{runner.addresses[0][1]}/"
    await runner.cleanup()


async def _allowed(_: str) -> str | None:
    return None


def _cpu() -> float:
    """Return the CPU seconds of this process and of all that it has started."""
    total = 0.0
    for process in (psutil.Process(), *psutil.Process().children(recursive=True)):
        times = process.cpu_times()
        total += times.user + times.system + times.children_user + times.children_system
    own = resource.getrusage(resource.RUSAGE_CHILDREN)
    children = psutil.Process().cpu_times()
    return total - children.children_user - children.children_system + own.ru_utime + own.ru_stime


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--visits", type=int, default=40)
    asyncio.run(main(parser.parse_args().visits))
