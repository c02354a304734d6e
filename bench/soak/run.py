"""One run: many watches and few changes for a long time, workers restarted in turn."""

import asyncio
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from random import Random

from aiohttp import ClientSession

from bench.html import page
from bench.soak.attack import HOST_DELAY_S, MANAGER, lateness
from bench.soak.samples import Sheet, sampled
from bench.soak.verdict import Sample
from infra.broker import LocalBroker
from schemas.records.topics import CHANGES, NOTIFICATIONS
from streams.cli.local.supervisor import PROGRAM
from tests.chaos.audit import Report, audit
from tests.chaos.crew import Crew
from tests.chaos.run import beside, not_delivered, record_progress, sorting
from tests.chaos.strangers import Strangers
from tests.harness.facts import everything
from tests.harness.hooks import Hooks, receivers
from tests.harness.load import Watcher, subscribe, text
from tests.harness.pages import Pages, site
from tests.harness.processes import ON_THE_WAY, Deployment
from tests.harness.rest import client
from tests.harness.waiting import until

HOSTS = RECEIVERS = 100
PARTITIONS = 8
WORDS = ("*", "odd", "even")
WRITTEN = 4_000
"""Characters of a page, besides what changes."""
LIVES = 2
"""Restarts of each worker."""
SAMPLES = 240
SUBSCRIBED_EACH_S = 10
"""Watches that are subscribed and read in a second, at least."""
PROGRESS = 10

LEAST_WARM_UP_S, LEAST_JUDGED_S = 300.0, 1_200.0
"""Caches fill for five minutes; in less than twenty more a step looks like a slope: of an hour it
is at least three times as much."""
FILLED_S = 900.0
"""The ended subscriptions of an attacker have reached their bound, and each table was compacted."""

Say = Callable[[str], None]


@dataclass(frozen=True, slots=True)
class Sizes:
    """How large a run is: ``rate`` is changes a second, ``interval`` that of each watch (s)."""

    watches: int = 10_000
    minutes: float = 60.0
    rate: float = 1.0
    interval: int = 100
    attacks: int = 0
    """1: another tenant attacks, and no worker is restarted."""

    @property
    def seconds(self) -> float:
        """The time for which changes are planted and samples taken."""
        return self.minutes * 60

    @property
    def warm_up(self) -> float:
        """The seconds at the beginning of a process that say nothing of the next hours."""
        return max(self.seconds / 12, min(self._filling_s, self.seconds / 3))

    @property
    def says_what_grows(self) -> bool:
        """Whether the run is long enough to say what grows in an hour."""
        return self.seconds >= self._filling_s + LEAST_JUDGED_S

    @property
    def _filling_s(self) -> float:
        return FILLED_S if self.attacks else LEAST_WARM_UP_S


@dataclass(slots=True)
class Result:
    """What was sampled, and what came of the changes."""

    report: Report
    lost: list[str]
    samples: list[Sample] = field(default_factory=list)
    ended: dict[str, int] = field(default_factory=dict)
    late_s: float | None = None
    """The longest delay of a page that is due each second while another tenant attacks."""


async def run(folder: Path, sheet: Sheet, seed: int, sizes: Sizes, say: Say) -> Result:
    """Watch, plant changes, restart workers and take samples; then wait for notifications."""
    random = Random(seed)  # noqa: S311 - a plan, not a secret
    async with site(HOSTS) as pages, receivers() as hooks:
        watchers = _watchers(pages, hooks, sizes, page(seed, 0.1, WRITTEN))
        with (
            LocalBroker(folder / "kafka", 0) as broker,
            Deployment(
                broker.bootstrap,
                folder / "vokter",
                PROGRAM,
                partitions=PARTITIONS,
                host_delay=HOST_DELAY_S if sizes.attacks else 0,
            ) as vokter,
        ):
            crew = Crew(vokter, (*ON_THE_WAY, "api"), broker.bootstrap)
            soak = Soak(vokter, crew, watchers, sizes, sheet, say)
            strangers, late_s = Strangers(vokter.settings, pages, hooks, MANAGER), None
            async with beside(crew.supervise(say)), client(vokter.settings.port) as rest:
                await soak.begin()
                say("changes and samples begin")
                async with asyncio.TaskGroup() as group:
                    group.create_task(soak.plant(random))
                    group.create_task(soak.sample(folder / "kafka"))
                    if sizes.attacks:
                        some = watchers[:PARTITIONS]
                        late_s = await lateness(rest, strangers, some, hooks, sizes.seconds)
                    else:
                        await soak.restart()
                say("no more changes")
                async with record_progress(vokter.settings) as recorded:
                    lost = await not_delivered(watchers, recorded)
            say("stopping")
            await crew.stop()
            names = (vokter.settings.topic_prefix + each.name for each in (CHANGES, NOTIFICATIONS))
            facts = [await everything(vokter.settings, name) for name in names]
    return Result(audit(watchers, *facts), lost, soak.samples, dict(crew.ended), late_s)


class Soak:
    """What happens to a deployment, and what is seen of it."""

    def __init__(
        self,
        vokter: Deployment,
        crew: Crew,
        watchers: Sequence[Watcher],
        sizes: Sizes,
        sheet: Sheet,
        say: Say,
    ) -> None:
        self.samples: list[Sample] = []
        self._vokter = vokter
        self._crew = crew
        self._watchers = watchers
        self._pages = [each.page for each in watchers]
        self._sizes = sizes
        self._sheet = sheet
        self._say = say

    async def begin(self) -> None:
        """Subscribe to all pages, and wait until each was fetched."""
        async with client(self._vokter.settings.port) as rest:
            await rest.ready()
            await subscribe(rest, self._watchers, self._sizes.interval)
        self._say(f"{len(self._watchers)} pages are watched")
        timeout_s = len(self._pages) / SUBSCRIBED_EACH_S + 200
        await until(lambda: all(each.requests for each in self._pages), "all is read", timeout_s)

    async def plant(self, random: Random) -> None:
        """Change pages, evenly over the time."""
        clock = asyncio.get_running_loop().time
        begun, filler = clock(), self._pages[0].text.removeprefix(text(1))
        for number in range(round(self._sizes.seconds * self._sizes.rate)):
            changed = random.choice(self._pages)
            changed.upcoming.append(text(changed.planned + 1) + filler)
            await asyncio.sleep(begun + (number + 1) / self._sizes.rate - clock())

    async def restart(self) -> None:
        """Restart one worker after the other, each twice."""
        pause = self._sizes.seconds / (LIVES * len(ON_THE_WAY) + 1)
        for name in ON_THE_WAY * LIVES:
            await asyncio.sleep(pause)
            self._say(f"restart {name}")
            await self._crew.restart(name)

    async def sample(self, broker: Path) -> None:
        """Take all samples."""
        clock = asyncio.get_running_loop().time
        begun, pause = clock(), max(1.0, self._sizes.seconds / SAMPLES)
        async with ClientSession() as http:
            while clock() < begun + self._sizes.seconds:
                await asyncio.sleep(pause)
                values = dict(await sampled(self._vokter, (*ON_THE_WAY, "api"), broker, http))
                seen = self._seen()
                pids = {name: self._vokter[name].pid for name in ON_THE_WAY}
                one = Sample(clock() - begun, values | seen, pids)
                self.samples.append(one)
                self._sheet.add(one)
                if len(self.samples) % PROGRESS == 0:
                    self._say(", ".join(f"{name} {count:.0f}" for name, count in seen.items()))

    def _seen(self) -> dict[str, float]:
        hooks = {id(post): post for each in self._watchers for post in each.hook.posts}
        return {
            "seen check": sum(len(each.requests) for each in self._pages),
            "seen change": sum(each.version - 1 for each in self._pages),
            "seen notification": sum(post.status < 300 for post in hooks.values()),
        }


def _watchers(pages: Pages, hooks: Hooks, sizes: Sizes, filler: str) -> list[Watcher]:
    """Return a subscription of each page; each receiver has many, and some answer 500 at first."""
    every = [sorting(hooks) for _ in range(RECEIVERS)]
    added = [pages.add(text(1) + filler, n % HOSTS) for n in range(sizes.watches)]
    return [
        Watcher(each, every[n % RECEIVERS].part(each.url), WORDS[n % len(WORDS)])
        for n, each in enumerate(added)
    ]
