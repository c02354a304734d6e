"""The delay of a page of one tenant that is due each second, next to a crowd of another tenant.

``python -m bench.crowded [SECONDS]``: six crawls of sites without an end, at the smallest
interval; then 20,000 pages of one host at the default pace. In the end the crowd is cancelled.
With a real Kafka and all agents.
"""

import asyncio
import sys
import tempfile
from collections.abc import Awaitable, Callable
from itertools import pairwise
from pathlib import Path
from time import monotonic

from aiohttp import web

from infra.broker import LocalBroker
from schemas.records.requests import Cancel, Subscribe
from schemas.records.subscriptions import Receiver
from streams.settings import Settings
from tests.harness.crowds import ENDLESS, endless, send_requests
from tests.harness.hooks import receivers
from tests.harness.processes import ON_THE_WAY, Deployment
from tests.harness.rest import Rest, client
from tests.harness.waiting import until
from tests.harness.web import served

SECONDS = 60.0
CRAWLS, PAGES = 6, 20_000
CALM_S = 10.0
PAUSE_S = 1.0
"""The default of VOKTER_HOST_DELAY."""

Crowd = Callable[[Rest, Settings, list[str], str], Awaitable[None]]
"""Asks for pages of some hosts, with a receiver, or cancels them."""


class Visited:
    """A page of the other tenant, and when it was visited."""

    def __init__(self) -> None:
        self.times: list[float] = []

    async def answer(self, request: web.Request) -> web.Response:
        """Answer with a page that stays the same."""
        if request.path != "/":
            return web.Response(status=404)
        self.times.append(monotonic())
        return web.Response(text="<p>Argus sleeps.</p>", content_type="text/html")

    async def longest_gap(self, seconds: float) -> float:
        """Wait; return for how long (s) the page was not visited meanwhile, at most."""
        first = len(self.times) - 1
        await asyncio.sleep(seconds)
        return max(after - before for before, after in pairwise([*self.times[first:], monotonic()]))


async def crawls(rest: Rest, _: Settings, hosts: list[str], receiver: str) -> None:
    """Begin a crawl of each host at the smallest interval."""
    for number, host in enumerate(hosts):
        await rest.subscribe(f"{host}/0", f"{receiver}?{number}", "*", crawl=ENDLESS)


async def pages(_: Rest, settings: Settings, hosts: list[str], receiver: str) -> None:
    """Watch very many pages of one host."""
    urls = (f"{hosts[0]}/{number}" for number in range(PAGES))
    to = Receiver(receiver)
    requests = (Subscribe(url, to, request_id=url, keywords=("*",)) for url in urls)
    await send_requests(settings, requests)


async def end_crawls(rest: Rest, _: Settings, hosts: list[str], receiver: str) -> None:
    """Cancel the crawls."""
    for number, host in enumerate(hosts):
        await rest.cancel(f"{host}/0", f"{receiver}?{number}")


async def end_pages(_: Rest, settings: Settings, hosts: list[str], receiver: str) -> None:
    """Cancel the pages."""
    urls = (f"{hosts[0]}/{number}" for number in range(PAGES))
    to = Receiver(receiver)
    await send_requests(settings, (Cancel(url, to, f"end {url}") for url in urls))


async def measured(
    kafka: str, folder: Path, crowd: tuple[Crowd, Crowd], pause_s: float, seconds: float
) -> tuple[float, float, float]:
    """Return the longest gap (s) between two visits before, while and after a crowd is there."""
    begin, end = crowd
    visited = Visited()
    with Deployment(kafka, folder, partitions=8, host_delay=pause_s) as deployment:
        deployment.start(*ON_THE_WAY, "api")
        settings = deployment.settings
        async with (
            served(visited.answer) as (own,),
            served(endless, CRAWLS) as hosts,
            receivers() as hooks,
            client(settings.port) as rest,
        ):
            await rest.ready()
            await rest.subscribe(f"{own}/", hooks.add().url, "*")
            await until(lambda: len(visited.times) > 2, "the page is visited")
            calm = await visited.longest_gap(CALM_S)
            receiver = hooks.add().url
            await begin(rest, settings, hosts, receiver)
            crowded = await visited.longest_gap(seconds)
            await end(rest, settings, hosts, receiver)
            return calm, crowded, await visited.longest_gap(CALM_S)


def main() -> None:
    """Measure both crowds."""
    seconds = float(sys.argv[1]) if len(sys.argv) > 1 else SECONDS
    cases: dict[str, tuple[tuple[Crowd, Crowd], float]] = {
        f"{CRAWLS} crawls without an end": ((crawls, end_crawls), 0.0),
        f"{PAGES:,} pages of one host": ((pages, end_pages), PAUSE_S),
    }
    print(
        "| a page due each second, next to | longest gap before, s | then | while it is cancelled |"
    )
    print("|---|---|---|---|", flush=True)
    with (
        tempfile.TemporaryDirectory() as folder,
        LocalBroker(Path(folder, "kafka"), 0) as broker,
    ):
        for number, (name, (crowd, pause_s)) in enumerate(cases.items()):
            own = Path(folder, f"data-{number}")
            gaps = asyncio.run(measured(broker.bootstrap, own, crowd, pause_s, seconds))
            print(f"| {name} | {' | '.join(f'{gap:.1f}' for gap in gaps)} |", flush=True)


if __name__ == "__main__":
    main()
