"""A worker that stops working silently, in one of the ways that an engine can.

``python -m tests.harness.stuck handling|taking``, with the settings in the environment.
"""

import asyncio
import sys
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from dataclasses import replace

from connectors.registry.codec import Codec
from streams.app import FETCH
from streams.cli.local.locks import worker_folder
from streams.effects.agents import cluster
from streams.engine.acks import watchdog
from streams.engine.life.membership import SHARED
from streams.engine.members import Member, Tools
from streams.engine.process import run_workers
from streams.settings import Settings
from streams.values.outcome import Event, Lookup, Outcome, Owned

LIMIT = 2.0


class Agent:
    """Never done with an event."""

    def key(self, event: Event) -> str | None:
        return None

    async def assigned(self, partitions: Sequence[Owned]) -> None:
        pass

    def released(self) -> None:
        pass

    def sizes(self) -> dict[str, int]:
        return {}

    async def handle(self, event: Event, lookup: Lookup) -> Outcome:
        await asyncio.Event().wait()
        raise AssertionError


@asynccontextmanager
async def build(_: Tools) -> AsyncIterator[Agent]:
    yield Agent()


def main(how: str) -> None:
    watchdog.LIMIT_S, watchdog.INTERVAL_S = LIMIT, LIMIT / 5
    max_in_flight = {"handling": 1000, "taking": 0}[how]
    settings = Settings()
    agent = replace(FETCH, max_in_flight=max_in_flight)
    with worker_folder(settings, agent.name) as (folder, member_id, drop_id):
        run_workers(
            [Member(agent, build, folder, member_id, drop_id)], cluster(settings, Codec(), SHARED)
        )


if __name__ == "__main__":
    main(sys.argv[1])
