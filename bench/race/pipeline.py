"""A plain pipeline of Bytewax, to show what the guarantees of others cost."""

import asyncio
import json
import os

from bench.race.ours import DRAIN, IDLE, READ_FIRST, SETTLED
from bench.race.rounds import TIMEOUT_S, Course, Result, Round, seconds_of
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
        self._home = course.folder / f"{self.name}-{course.rate}"
        self._python = course.environments / f"peers-{self.name}" / "bin" / "python"
        self._process: Process | None = None
        self._interval = 0
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
        """Do nothing: a round starts it, if it does not run as the round wants it."""

    async def _warm(self, interval: int) -> None:
        """Start it and see each page twice; some have changed then."""
        await self.rest()
        watched = self._course.watched
        await watched.begin(Mode())
        self._start(self._course.pages, interval)
        await watched.fetched(self.pages, TIMEOUT_S)
        await watched.begin(Mode(changing=READ_FIRST))
        await watched.fetched(self.pages, TIMEOUT_S)
        await watched.freeze()

    async def run(self, round_: Round) -> Result:
        """Measure the checks of a round."""
        interval = 0 if round_.is_flat_out else self._course.interval
        if self._process is None or interval != self._interval:
            await self._warm(interval)
        watched, loop = self._course.watched, asyncio.get_running_loop()
        with Peak(self._family) as peak:
            before, begun = cpu(self._family()), loop.time()
            await watched.begin(round_.mode)
            if round_.is_flat_out:
                await watched.fetched(self.pages, TIMEOUT_S)
            else:
                await asyncio.sleep(seconds_of(self._course))
            in_time = await watched.freeze()
            # Its next check begins after the POST of the last one, and may be at once.
            spent, wall = cpu(self._family()) - before, loop.time() - begun
            await watched.notified(DRAIN)
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
        self._interval = interval
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
