"""A plain pipeline of Bytewax, to show what the guarantees of others cost."""

import asyncio
import json
import os

from bench.race.ours import DRAIN, IDLE, READ_FIRST, SETTLED
from bench.race.rounds import TIMEOUT_S, Course, Result
from bench.race.site import Mode
from bench.race.up import KEYWORDS
from bench.race.usage import Peak, Process, cpu, family, start, version_of
from tests.harness.template import ROOT

HOUR = 3600


class Bytewax:
    """A process that forgets all when it is stopped, which it is while others are measured."""

    name = "bytewax"

    def __init__(self, course: Course) -> None:
        self._course = course
        self.pages = len(course.pages)
        self._home = course.folder / self.name
        self._python = course.environments / f"peers-{self.name}" / "bin" / "python"
        self._process: Process | None = None
        self._idle = 0.0

    def version(self) -> str:
        """Return the version installed in its environment."""
        return version_of(self._python, self.name)

    async def prepare(self) -> None:
        """Measure what it uses while no page is due."""
        self._home.mkdir(parents=True)
        self._start(self._course.pages[:1], HOUR)
        await asyncio.sleep(SETTLED)
        before = cpu(self._family())
        await asyncio.sleep(IDLE)
        self._idle = (cpu(self._family()) - before) / IDLE
        await self.rest()

    async def warm(self) -> None:
        """Start it and see each page twice; some have changed then."""
        watched = self._course.watched
        await watched.begin(Mode())
        self._start(self._course.pages, self._course.interval)
        await watched.fetched(self.pages, TIMEOUT_S)
        await watched.begin(Mode(changing=READ_FIRST))
        await watched.fetched(self.pages, TIMEOUT_S)
        await watched.freeze()

    async def run(self, mode: Mode) -> Result:
        """Measure one interval, and the time after it until all is notified."""
        watched, loop = self._course.watched, asyncio.get_running_loop()
        with Peak(self._family) as peak:
            before, begun = cpu(self._family()), loop.time()
            await watched.begin(mode)
            await asyncio.sleep(self._course.interval)
            in_time = await watched.freeze()
            await watched.notified(DRAIN)
            spent, wall = cpu(self._family()) - before, loop.time() - begun
        seen = await watched.seen()
        return Result(
            in_time.fetches, in_time.not_modified, len(seen.planted), seen.found,
            spent, self._idle * wall, wall, peak.memory,
        )  # fmt: skip

    async def rest(self) -> None:
        """Stop it."""
        if self._process is not None:
            self._process.kill()
            await asyncio.to_thread(self._process.wait)
            self._process = None

    async def close(self) -> None:
        """Stop it."""
        await self.rest()

    def _start(self, pages: list[str], interval: int) -> None:
        order = {
            "pages": pages,
            "interval": interval,
            "keywords": KEYWORDS,
            "hook": self._course.watched.hook(self.name),
        }
        path = self._home / "order.json"
        path.write_text(json.dumps(order), "utf-8")
        line = [str(self._python), "-m", "bench.race.plain", str(path)]
        self._process = start(line, os.environ | {"PYTHONPATH": str(ROOT)}, self._home / "log")

    def _family(self) -> set[int]:
        assert self._process is not None, "it runs"
        return family(self._process.pid)
