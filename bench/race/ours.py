"""Vokter as ``vokter up`` with a real Kafka: it checks by itself, each page once an interval."""

import asyncio
import subprocess
from signal import SIGTERM

from bench.race.rounds import Course, Result
from bench.race.site import Mode
from bench.race.usage import Peak, branches, command, cpu, family
from infra.ports import any_free
from streams.settings import Settings
from tests.harness.commands import Command
from tests.harness.processes import ROOT, environment
from tests.harness.rest import Rest, client

IDLE = 10.0
"""Seconds for which the deployment is measured before anything is watched."""
SETTLED = 5.0
DRAIN = 60.0
"""Seconds after which what was not told counts as missing."""
AT_ONCE = 20
WARM = 2
"""Intervals after which a start's backlog is gone and all pages are known again."""
KEYWORDS = ("odd", "even", "marathon", "new york", "price")
BROKER = "broker"
WORKERS = ("schedule", "fetch", "match", "deliver", "record", "api")


class Vokter:
    """A deployment in a folder; it is stopped while others are measured."""

    name = "vokter"

    def __init__(self, course: Course) -> None:
        self._course = course
        self.pages = len(course.watched.pages)
        self._home = Settings(
            kafka=None,
            data_dir=course.folder / self.name,
            port=any_free(),
            min_interval=1,
            host_delay=0,
            allow_private=("127.0.0.0/8",),
        )
        self._up: Command | None = None
        self._idle: dict[str, float] = {}

    def version(self) -> str:
        """Name the commit, for versions are rarer than changes of speed."""
        line = ["git", "describe", "--always", "--dirty"]
        git = subprocess.run(line, cwd=ROOT, capture_output=True, text=True, check=False)  # noqa: S603
        return git.stdout.strip() or "unknown"

    async def prepare(self) -> None:
        """Measure the idle deployment, then subscribe to each page."""
        await self._start()
        await asyncio.sleep(SETTLED)
        before = self._spent()
        await asyncio.sleep(IDLE)
        self._idle = {name: spent / IDLE for name, spent in _since(self._spent(), before).items()}
        watched = self._course.watched
        await watched.begin(Mode())
        async with client(self._home.port) as rest:
            await _subscribe(rest, watched.pages, watched.hook("vokter"), self._course.interval)
        await watched.fetched(len(watched.pages), DRAIN)
        await self.rest()

    async def warm(self) -> None:
        """Start again and see each page once."""
        await self._start()
        watched = self._course.watched
        await watched.begin(Mode())
        await watched.fetched(len(watched.pages), DRAIN)
        await asyncio.sleep(WARM * self._course.interval)

    async def run(self, mode: Mode) -> Result:
        """Measure one interval, and what comes after it until all is told."""
        watched, loop = self._course.watched, asyncio.get_running_loop()
        with Peak(self._workers) as peak, Peak(self._broker) as beside:
            before, begun = self._spent(), loop.time()
            await watched.begin(mode)
            await asyncio.sleep(self._course.interval)
            in_time = await watched.freeze()
            await watched.told(DRAIN)
            spent, wall = _since(self._spent(), before), loop.time() - begun
        seen = await watched.seen()
        broker = spent.pop(BROKER)
        resting = sum(self._idle[name] for name in spent) * wall
        return Result(
            in_time.fetches, in_time.not_modified, len(seen.planted), seen.found,
            sum(spent.values()), resting, wall, peak.memory, broker, beside.memory, spent,
        )  # fmt: skip

    async def rest(self) -> None:
        """Stop it; it goes on from its data folder."""
        if self._up is not None:
            self._up.signal(SIGTERM)
            await self._up.ended()
            self._up = None

    async def close(self) -> None:
        """Stop it."""
        await self.rest()

    async def _start(self) -> None:
        self._home.data_dir.mkdir(parents=True, exist_ok=True)
        self._up = Command(environment(self._home), self._home.data_dir, "up")
        await self._up.says("Ready: ")

    def _workers(self) -> set[int]:
        assert self._up is not None
        return family(self._up.pid) - self._broker()

    def _broker(self) -> set[int]:
        assert self._up is not None
        every = branches(self._up.pid).items()
        return set().union(*(branch for child, branch in every if _part(child) == BROKER))

    def _spent(self) -> dict[str, float]:
        """Give the CPU seconds of each worker with its children, of the broker and of the rest."""
        assert self._up is not None
        spent = {"up": cpu({self._up.pid})}
        for child, branch in branches(self._up.pid).items():
            spent[_part(child)] = cpu(branch)
        return spent


def _part(pid: int) -> str:
    """Name a child of ``vokter up`` by its command line."""
    words = command(pid).split()
    return words[-1] if words[-1:] and words[-1] in WORKERS else BROKER


def _since(now: dict[str, float], before: dict[str, float]) -> dict[str, float]:
    return {name: now[name] - before.get(name, 0.0) for name in now}


async def _subscribe(rest: Rest, pages: list[str], hook: str, interval: int) -> None:
    slots = asyncio.Semaphore(AT_ONCE)

    async def one(page: str) -> None:
        async with slots:
            await rest.subscribe(page, hook, *KEYWORDS, interval=interval)

    await asyncio.gather(*map(one, pages))
