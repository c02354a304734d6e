"""The bench's side of the site: sets how pages behave, asks what was seen."""

import asyncio
import json
import os
import subprocess
import sys
from collections.abc import AsyncIterator, Collection
from contextlib import asynccontextmanager, suppress
from dataclasses import asdict, dataclass

from aiohttp import ClientSession

from bench.race.shelf import SIZE
from bench.race.site import Mode
from tests.harness.template import ROOT
from tests.harness.waiting import eventually

STILL = Mode()
PAUSE = 0.2
"""Seconds between two requests, so that they take little CPU from what is measured."""


@dataclass(frozen=True, slots=True)
class Sight:
    """What the site saw of a round.

    ``pages`` counts the different ones that were fetched. ``planted`` are the words that only
    new versions contain, ``found`` counts those that some receiver was notified of, ``notified``
    counts each of them for each receiver.
    """

    fetches: int
    pages: int
    not_modified: int
    planted: list[str]
    notified: int
    found: int


class Watched:
    """The running site."""

    def __init__(self, http: ClientSession, hosts: list[str], pages: int) -> None:
        """Pages are spread over all hosts but the first, which has the receivers."""
        self.http = http
        self._base, *others = hosts
        self.pages = [f"{others[n % len(others)]}/page/{n}" for n in range(pages)]

    def hook(self, name: str) -> str:
        """Return the URL of a receiver."""
        return f"{self._base}/hook/{name}"

    def uncounted(self, name: str) -> str:
        """Return the URL of a receiver of which nothing is measured."""
        return f"{self._base}/uncounted/{name}"

    def url(self, word: str) -> str:
        """Return the URL of the page that contains a planted word."""
        return self.pages[int(word.removeprefix("mark").partition("x")[0])]

    async def begin(self, mode: Mode) -> None:
        """Begin a round: pages behave so from now on, and counting starts."""
        await self._set(mode, "/fresh")

    async def freeze(self) -> Sight:
        """Stop all changes; return what was seen until now."""
        await self._set(STILL)
        return await self.seen()

    async def seen(self) -> Sight:
        """Return what was seen since the round began."""
        async with self.http.get(f"{self._base}/seen") as response:
            return Sight(**await response.json())

    async def fetched(self, times: int, timeout_s: float) -> None:
        """Wait until pages were fetched so often since the round began."""

        async def enough() -> bool:
            return (await self.seen()).fetches >= times

        await eventually(enough, f"{times} fetches", timeout_s, PAUSE)

    async def read(self, pages: int, timeout_s: float) -> None:
        """Wait until so many different pages were fetched since the round began."""

        async def enough() -> bool:
            return (await self.seen()).pages >= pages

        await eventually(enough, f"{pages} pages are fetched", timeout_s, PAUSE)

    async def notified(self, timeout_s: float, receivers: int = 1) -> None:
        """Wait until each receiver is notified of all, or the time is over."""

        async def complete() -> bool:
            seen = await self.seen()
            return seen.notified >= len(seen.planted) * receivers

        with suppress(AssertionError):
            await eventually(complete, "all is notified", timeout_s, PAUSE)

    async def waits(self) -> list[float]:
        """Return the seconds from each change's fetch to each receiver's notification."""
        async with self.http.get(f"{self._base}/waits") as response:
            return [float(each) for each in await response.json()]

    async def _set(self, mode: Mode, how: str = "") -> None:
        async with self.http.post(f"{self._base}/mode{how}", json=asdict(mode)) as response:
            response.raise_for_status()


@asynccontextmanager
async def site(
    seed: int, pages: int, hosts: int, size: int = SIZE, cores: Collection[int] = ()
) -> AsyncIterator[Watched]:
    """Serve pages of so many bytes from another process, on these cores if given, until left."""
    numbers = map(str, (seed, pages, hosts + 1, size))
    line = [sys.executable, "-m", "bench.race.site", *numbers]
    process = subprocess.Popen(  # noqa: ASYNC220, S603 - at the start, of our own arguments
        line, cwd=ROOT, stdin=subprocess.PIPE, stdout=subprocess.PIPE
    )
    try:
        if cores:
            os.sched_setaffinity(process.pid, cores)
        assert process.stdout is not None
        urls = json.loads(await asyncio.to_thread(process.stdout.readline))
        async with ClientSession() as http:
            yield Watched(http, urls, pages)
    finally:
        process.kill()
        process.wait()
