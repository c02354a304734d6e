"""One fetch worker with more and more watches: the cost of an unchanged page and of a watch.

``python -m bench.scale [WATCHES ...]``: a worker each for a thousand and ten thousand watches
by default, on a real Kafka with SQLite, commanded as the ticker does it. All fetch
their pages once; then they take turns at checking pages that have not changed. Linux only.
"""

import argparse
import asyncio
import os
import sys
import tempfile
from collections import defaultdict
from collections.abc import Sequence
from contextlib import AsyncExitStack
from dataclasses import dataclass, field
from pathlib import Path
from statistics import median

from aiohttp import ClientSession
from aiokafka import AIOKafkaProducer
from rich.console import Console
from rich.table import Table

from bench.deployed import divided, waiting
from bench.fetching import Watches
from bench.measuring import Say, commit, machine, spread, timed_printer
from bench.race.site import Mode
from bench.race.usage import Peak, alone, cpu, family
from bench.race.watched import Watched, site
from connectors.kafka.topics import create_topics
from connectors.metrics.scraping import scraped_metrics
from infra.broker import LocalBroker
from streams.cli.health.status import in_memory
from streams.effects.connections import kafka_access
from streams.effects.topics import topic_specs
from tests.harness.processes import VOKTER, Deployment

WATCHES = (1_000, 10_000)
HOSTS = 200
AGENT = "fetch"
MODES = {"200": Mode(), "304": Mode(conditional=True)}
GROWTH = 1.2
MEMORY, EACH = 250e6, 300
"""Bytes that a worker with its processes may have, and for each watch."""
TIMEOUT_S = 60.0
ALONE = (sys.executable, "-u", *VOKTER[1:])
"""A program that is started: one that the tests fork shares memory with what forks it."""


@dataclass
class Crowd:
    """A worker with its watches; what each round took (CPU s a check) by how pages answer."""

    pid: int
    count: int
    watches: Watches
    first: int = 0
    unchanged: int = 0
    took: defaultdict[str, list[float]] = field(default_factory=lambda: defaultdict(list))

    def peak(self) -> Peak:
        """Return what samples the memory of the worker and its processes."""
        return Peak(lambda: family(self.pid), alone)


class Bench:
    """All workers, the site that they watch, and how it is measured."""

    def __init__(
        self, options: argparse.Namespace, watched: Watched, stack: AsyncExitStack, say: Say
    ) -> None:
        """What is started ends with ``stack``."""
        self._options = options
        self._watched = watched
        self._stack = stack
        self._say = say

    async def crowd(self, bootstrap: str, folder: Path, pages: Sequence[str]) -> Crowd:
        """Start a worker and let it fetch all its pages."""
        deployment = self._stack.enter_context(Deployment(bootstrap, folder, ALONE))
        settings = deployment.settings
        await create_topics(kafka_access(settings), topic_specs(settings))
        await divided(deployment, [AGENT])
        behind = await self._stack.enter_async_context(waiting(settings, AGENT))
        kafka = AIOKafkaProducer(bootstrap_servers=bootstrap)
        await self._stack.enter_async_context(kafka)
        crowd = Crowd(deployment[AGENT].pid, len(pages), Watches(settings, kafka, behind, pages))
        self._say(f"{crowd.count:,} pages are read for the first time")
        with crowd.peak() as peak:
            await crowd.watches.read(self._watched, self._say)
        crowd.first = peak.memory
        async with ClientSession() as http:
            sizes = in_memory(await scraped_metrics(settings.metrics_folder, http))[AGENT]
        self._say(f"{sizes['documents']:,} are known; {crowd.first / 1e6:.0f} MB at most")
        return crowd

    async def turn(self, crowd: Crowd, answer: str) -> None:
        """Let a worker check some of its pages, as many each second as are due in one."""
        loop, left = asyncio.get_running_loop(), self._options.checks
        await self._watched.begin(MODES[answer])
        with crowd.peak() as peak:
            before, sent = cpu(family(crowd.pid)), 0
            while sent < left:
                begun = loop.time()
                sent += await crowd.watches.command(min(self._options.rate, left - sent))
                await asyncio.sleep(begun + 1 - loop.time())
            await self._watched.fetched(sent, TIMEOUT_S)
            spent = cpu(family(crowd.pid)) - before
        crowd.unchanged = max(crowd.unchanged, peak.memory)
        seen = await self._watched.seen()
        crowd.took[answer].append(spent / seen.fetches)
        self._say(f"{crowd.count:,} watches, {answer}: {spent / seen.fetches * 1e3:.3f} ms a check")


async def measured(
    options: argparse.Namespace, bootstrap: str, folder: Path, say: Say
) -> list[Crowd]:
    """Return all workers with what they took."""
    async with AsyncExitStack() as stack:
        watched = await stack.enter_async_context(site(options.seed, sum(options.watches), HOSTS))
        bench, crowds, first = Bench(options, watched, stack, say), [], 0
        for count in options.watches:
            pages = watched.pages[first : first + count]
            crowds.append(await bench.crowd(bootstrap, folder / str(first), pages))
            first += count
        for _ in range(options.repeats):
            for answer in MODES:
                for crowd in crowds:
                    await bench.turn(crowd, answer)
        return crowds


def costs(crowds: Sequence[Crowd]) -> Table:
    """Return a table of what a check takes, compared with the first worker."""
    base = crowds[0]
    table = Table("watches", "answer", "CPU ms a check", f"against {base.count:,}",
                  title=f"an unchanged page; wanted: at most {GROWTH} times")  # fmt: skip
    for answer in MODES:
        for crowd in crowds:
            pairs = zip(crowd.took[answer], base.took[answer], strict=True)
            ratio = "" if crowd is base else spread([each / first for each, first in pairs])
            typical = f"{median(crowd.took[answer]) * 1e3:.3f}"
            table.add_row(f"{crowd.count:,}", answer, typical, ratio)
    return table


def memories(crowds: Sequence[Crowd]) -> Table:
    """Return a table of the memory of each worker with its processes."""
    base = crowds[0]
    title = "memory at most, all processes of the worker"
    table = Table("watches", "MB, first reading", "MB, unchanged", "wanted MB",
                  "bytes a watch more", title=title)  # fmt: skip
    for crowd in crowds:
        more = (crowd.unchanged - base.unchanged) / max(1, crowd.count - base.count)
        table.add_row(
            f"{crowd.count:,}", f"{crowd.first / 1e6:.0f}", f"{crowd.unchanged / 1e6:.0f}",
            f"{(MEMORY + EACH * crowd.count) / 1e6:.0f}", f"{more:,.0f}" if more else "",
        )  # fmt: skip
    return table


def main() -> None:
    """Measure and print."""
    options = _options()
    out = Console(width=120)
    say = timed_printer(out)
    out.print(f"{commit()}, {machine()}, load {os.getloadavg()[0]:.1f}", highlight=False)
    with tempfile.TemporaryDirectory() as folder, LocalBroker(Path(folder, "kafka"), 0) as broker:
        crowds = asyncio.run(measured(options, broker.bootstrap, Path(folder), say))
    out.print(costs(crowds), memories(crowds))


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("watches", nargs="*", type=int, default=WATCHES, help="of each worker")
    parser.add_argument("--checks", type=int, default=4_000, help="of each turn")
    parser.add_argument("--rate", type=int, default=400, help="checks a second")
    parser.add_argument("--repeats", type=int, default=3, help="turns of each worker and answer")
    parser.add_argument("--seed", type=int, default=7)
    return parser.parse_args()


if __name__ == "__main__":
    main()
