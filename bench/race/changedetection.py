"""changedetection.io as a server: its API adds watches and triggers a check of all."""

import asyncio
import json
import os
from contextlib import suppress
from typing import Any

from aiohttp import ClientConnectionError

from bench.race.rounds import TIMEOUT_S, Course, Result, Round
from bench.race.site import Mode
from bench.race.usage import Peak, Process, cpu, family, start, version_of
from infra.ports import any_free
from tests.harness.waiting import eventually

MOST = 100
"""Pages: a new or changed one takes it 0.1 s, so that more would take many minutes."""
START = 60.0
SETTLED = 5.0
"""Seconds for which its CPU is measured while it is idle."""
LAST = 1.0
"""Seconds that the last pages, which are not in its queue any more, take at most."""
HOST = "127.0.0.1"


class ChangeDetection:
    """A server with its data in a folder; it checks only when asked to."""

    name = "changedetection.io"

    def __init__(self, course: Course) -> None:
        self._course = course
        self._urls = course.pages[:MOST]
        self.pages = len(self._urls)
        self._home = course.folder / self.name
        self._bin = course.environments / f"peers-{self.name}" / "bin"
        self._port = any_free()
        self._process: Process | None = None
        self._key = ""
        self._idle = 0.0

    def version(self) -> str:
        """Return the version installed in its environment."""
        return version_of(self._bin / "python", self.name)

    async def prepare(self) -> None:
        """Start it, and make it watch all pages."""
        watched = self._course.watched
        await watched.begin(Mode())
        await self._start()
        _, *others = self._urls  # the first one was on its command line
        await self._call("POST", "import", data="\n".join(others))
        await self._checked(self.pages)

    async def warm(self) -> None:
        """Measure what it uses while idle."""
        before = self._spent()
        await asyncio.sleep(SETTLED)
        self._idle = (self._spent() - before) / SETTLED

    async def run(self, round_: Round) -> Result:
        """Check all pages; what it found is in its listing."""
        watched, loop = self._course.watched, asyncio.get_running_loop()
        known = await self._changes()
        await watched.begin(round_.mode)
        with Peak(self._family) as peak:
            before, begun = self._spent(), loop.time()
            await self._call("GET", "watch", params={"recheck_all": "1"})
            await self._checked(self.pages)
            spent, wall = self._spent() - before, loop.time() - begun
        seen, now = await watched.freeze(), await self._changes()
        listed = {url for url, at in now.items() if at != known[url]}
        planted = {watched.url(word) for word in seen.planted}
        return Result(
            seen.fetches, seen.not_modified, len(planted), len(planted & listed),
            spent, self._idle * wall, wall, peak.memory,
        )  # fmt: skip

    async def rest(self) -> None:
        """Do nothing: it is idle anyway."""

    async def close(self) -> None:
        """End it."""
        if self._process is not None:
            self._process.terminate()
            await asyncio.to_thread(self._process.wait)

    async def _start(self) -> None:
        self._home.mkdir(parents=True)
        line = [str(self._bin / self.name), "-C", "-d", str(self._home), "-l", "WARNING",
                "-h", HOST, "-p", str(self._port), "-u", self._urls[0]]  # fmt: skip
        env = os.environ | {
            "ALLOW_IANA_RESTRICTED_ADDRESSES": "true",
            "DISABLE_VERSION_CHECK": "true",
            "HOME": str(self._home),
        }
        self._process = start(line, env, self._home / "log")
        await eventually(self._answers, f"{self.name} answers", START)

    async def _answers(self) -> bool:
        with suppress(ClientConnectionError, FileNotFoundError, KeyError):
            settings = json.loads((self._home / "changedetection.json").read_text("utf-8"))
            self._key = settings["settings"]["application"]["api_access_token"]
            await self._call("GET", "systeminfo")
            return True
        return False

    async def _changes(self) -> dict[str, int]:
        """Return when each URL changed last (epoch seconds)."""
        watches = (await self._call("GET", "watch")).values()
        return {watch["url"]: watch["last_changed"] for watch in watches}

    async def _checked(self, times: int) -> None:
        """Wait until so many pages were fetched and none is waiting."""
        await self._course.watched.fetched(times, TIMEOUT_S)

        async def done() -> bool:
            return not (await self._call("GET", "systeminfo"))["queue_size"]

        await eventually(done, "its queue is empty", TIMEOUT_S, LAST)
        await asyncio.sleep(LAST)

    async def _call(self, method: str, path: str, **more: Any) -> Any:
        url = f"http://{HOST}:{self._port}/api/v1/{path}"
        http = self._course.watched.http
        async with http.request(method, url, headers={"x-api-key": self._key}, **more) as response:
            if response.status >= 400:
                raise RuntimeError(f"{self.name}, {path}: {await response.text()}")
            return await response.json()

    def _spent(self) -> float:
        return cpu(self._family())

    def _family(self) -> set[int]:
        assert self._process is not None
        return family(self._process.pid)
