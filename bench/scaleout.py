"""Fetch and match with more and more workers: the cost of a message in all of them together.

``python -m bench.scaleout [fetch] [match]``: 1, 2 and 4 workers with two partitions each, on
a real Kafka with SQLite. They take turns at handling as many messages as fast as they can:
unchanged pages, or changes that match ten subscriptions each. Linux only.
"""

import argparse
import asyncio
import os
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import AsyncExitStack
from dataclasses import dataclass, field
from pathlib import Path
from statistics import median
from time import monotonic

from aiokafka import AIOKafkaProducer
from rich.console import Console
from rich.table import Table

from bench.deployed import Behind, divided, done, waiting
from bench.loads import Changes, Checks, Load
from bench.measuring import Say, commit, machine, spread, timed_printer
from bench.race.usage import cpu, family
from bench.race.watched import site
from infra.broker import LocalBroker
from tests.harness.processes import Deployment

WORKERS = (1, 2, 4)
PARTITIONS = 2
"""Of each worker."""
HOSTS = 200
TIMEOUT_S = 300.0


@dataclass
class Crew:
    """The workers of one deployment; CPU s of each and wall s, by round."""

    names: list[str]
    deployment: Deployment
    behind: Behind
    rounds: list[tuple[list[float], float]] = field(default_factory=list)

    def spent(self) -> list[float]:
        """Return the CPU seconds of each worker with its processes."""
        return [cpu(family(self.deployment[name].pid)) for name in self.names]

    async def turn(self, load: Load) -> None:
        """Let them handle the messages of one round."""
        before, begun = self.spent(), monotonic()
        await load.send(self.deployment.settings)
        await done(self.behind, timeout_s=TIMEOUT_S)
        wall = monotonic() - begun
        spent = [used - then for used, then in zip(self.spent(), before, strict=True)]
        self.rounds.append((spent, wall))


class Bench:
    """All crews of an agent, in turn."""

    def __init__(self, options: argparse.Namespace, folder: Path, kafka: str, say: Say) -> None:
        self._options = options
        self._folder = folder
        self._kafka = kafka
        self._say = say

    async def measured(self, agent: str) -> list[Crew]:
        """Start all, and let each handle some rounds."""
        async with AsyncExitStack() as stack:
            load = await self._load(agent, stack)
            crews = [await self._crew(agent, number, load, stack) for number in WORKERS]
            for _ in range(self._options.repeats):
                for crew in crews:
                    await crew.turn(load)
                    self._say(f"{agent}, {len(crew.names)} workers: {crew.rounds[-1][1]:.1f} s")
            return crews

    async def _load(self, agent: str, stack: AsyncExitStack) -> Load:
        messages, seed = self._options.messages, self._options.seed
        kafka = AIOKafkaProducer(bootstrap_servers=self._kafka, linger_ms=5)
        await stack.enter_async_context(kafka)
        if agent == "match":
            return Changes(kafka, messages, seed)
        watched = await stack.enter_async_context(site(seed, messages, HOSTS))
        return Checks(kafka, watched, self._say)

    async def _crew(self, agent: str, number: int, load: Load, stack: AsyncExitStack) -> Crew:
        self._say(f"{agent}: {number} workers start")
        folder, partitions = self._folder / f"{agent}-{number}", PARTITIONS * number
        deployment = Deployment(self._kafka, folder, partitions=partitions)
        stack.enter_context(deployment)
        settings = deployment.settings
        await load.prepare(settings)
        names = [f"{agent}-{each}" for each in range(1, number + 1)]
        await divided(deployment, names)
        behind = await stack.enter_async_context(waiting(settings, agent))
        await load.acquaint(settings, behind)
        return Crew(names, deployment, behind)


def rows(agent: str, crews: Sequence[Crew], messages: int) -> Iterator[Sequence[str]]:
    """Yield what each crew took, compared with one worker in the same repetition."""
    base = [sum(spent) for spent, _ in crews[0].rounds]
    for crew in crews:
        each = [sum(spent) for spent, _ in crew.rounds]
        ratios = [took / first for took, first in zip(each, base, strict=True)]
        busiest = median(max(spent) / sum(spent) for spent, _ in crew.rounds)
        yield (
            agent, str(len(crew.names)), str(PARTITIONS * len(crew.names)),
            f"{messages / median(wall for _, wall in crew.rounds):,.0f}",
            f"{median(each) / messages * 1e3:.3f}",
            spread(ratios) if crew is not crews[0] else "", f"{busiest:.0%}",
        )  # fmt: skip


def main() -> None:
    """Measure and print."""
    options = _options()
    out = Console(width=120)
    say = timed_printer(out)
    out.print(f"{commit()}, {machine()}, load {os.getloadavg()[0]:.1f}", highlight=False)
    table = Table("agent", "workers", "partitions", "a second", "CPU ms a message", "against one",
                  "of the busiest", title=f"{options.messages:,} messages")  # fmt: skip
    with tempfile.TemporaryDirectory() as folder, LocalBroker(Path(folder, "kafka"), 0) as broker:
        bench = Bench(options, Path(folder), broker.bootstrap, say)
        for agent in options.agent:
            crews = asyncio.run(bench.measured(agent))
            for row in rows(agent, crews, options.messages):
                table.add_row(*row)
    out.print(table)


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("agent", nargs="*", default=("fetch", "match"), help="fetch, match or both")
    parser.add_argument("--messages", type=int, default=2_000, help="of each turn")
    parser.add_argument("--repeats", type=int, default=3, help="turns of each number of workers")
    parser.add_argument("--seed", type=int, default=7)
    options = parser.parse_args()
    if unknown := set(options.agent) - {"fetch", "match"}:
        parser.error(f"no such agent here: {', '.join(sorted(unknown))}")
    return options


if __name__ == "__main__":
    main()
