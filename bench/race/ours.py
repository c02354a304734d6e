"""Vokter as ``vokter up`` with a real Kafka: it checks by itself, each page once an interval."""

import asyncio
from pathlib import Path

from bench.measuring import commit
from bench.race.due import Commands, command_all, last_commands
from bench.race.rounds import TIMEOUT_S, Course, Result, Round, seconds_of
from bench.race.site import Mode
from bench.race.up import BROKER, Up, since
from bench.race.usage import Peak
from streams.cli.discovery import with_broker
from tests.harness.template import ROOT

IDLE = 10.0
"""Seconds for which the deployment is measured before anything is watched."""
SETTLED = 5.0
DRAIN = 60.0
"""Seconds after which what was not notified counts as missing."""
READ_FIRST = 0.1
"""Share of the pages that change before anything is measured."""
WARM = 2
"""Intervals after which a start's backlog is gone and all pages are known again."""


class Vokter:
    """A deployment; it is stopped while others are measured."""

    def __init__(
        self,
        course: Course,
        name: str = "vokter",
        checkout: Path = ROOT,
        *,
        is_apart: bool = False,
    ) -> None:
        """``is_apart``: with a process for each agent. ``checkout`` has the code of a commit."""
        self._course = course
        self.name = name
        self.pages = len(course.pages)
        self._checkout = checkout
        folder = course.folder / f"{name}-{course.rate}"
        self._up = Up(folder, is_apart=is_apart, checkout=checkout)
        self._idle: dict[str, float] = {}
        self._commands: Commands = {}

    def version(self) -> str:
        """Name the commit, for versions are rarer than changes of speed."""
        return commit(self._checkout)

    async def prepare(self) -> None:
        """Measure the idle deployment, then subscribe to each page."""
        await self._up.start()
        await asyncio.sleep(SETTLED)
        before = self._up.spent()
        await asyncio.sleep(IDLE)
        self._idle = {n: used / IDLE for n, used in since(self._up.spent(), before).items()}
        watched = self._course.watched
        await watched.begin(Mode())
        hooks = [watched.hook(self.name)]
        await self._up.subscribe(self._course.pages, hooks, self._course.interval)
        await watched.fetched(self.pages, DRAIN)
        await asyncio.sleep(WARM * self._course.interval)
        await self.rest()

    async def warm(self) -> None:
        """Start again and see each page once; some change, which starts what reads pages."""
        await self._up.start()
        watched = self._course.watched
        await watched.begin(Mode(changing=READ_FIRST))
        await watched.fetched(self.pages, DRAIN)
        await watched.freeze()
        await asyncio.sleep(WARM * self._course.interval)
        self._commands = await last_commands(with_broker(self._up.settings))

    async def run(self, round_: Round) -> Result:
        """Measure the checks of a round, and the time after it until all is notified."""
        watched, loop = self._course.watched, asyncio.get_running_loop()
        with Peak(self._up.workers) as peak, Peak(self._up.broker) as broker_peak:
            before, begun = self._up.spent(), loop.time()
            await watched.begin(round_.mode)
            if round_.is_flat_out:
                # What falls due meanwhile is checked and counted too.
                await command_all(with_broker(self._up.settings), self._commands)
                await watched.fetched(self.pages, TIMEOUT_S)
            else:
                await asyncio.sleep(seconds_of(self._course))
            in_time = await watched.freeze()
            await watched.notified(DRAIN)
            spent, wall = since(self._up.spent(), before), loop.time() - begun
        seen = await watched.seen()
        broker = spent.pop(BROKER)
        resting = sum(self._idle[name] for name in spent) * wall
        return Result(
            in_time.fetches, in_time.not_modified, len(seen.planted), seen.found,
            sum(spent.values()), resting, wall, peak.memory, broker, broker_peak.memory, spent,
        )  # fmt: skip

    async def rest(self) -> None:
        """Stop it; it goes on from its data folder."""
        await self._up.stop()

    async def close(self) -> None:
        """Stop it."""
        await self._up.stop()
