"""The broker or the store is away: everything waits, says so, and goes on by itself."""

import asyncio
import sqlite3
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import AbstractAsyncContextManager, asynccontextmanager, closing
from functools import partial
from pathlib import Path
from signal import SIGTERM

import pytest

from infra.broker import LocalBroker
from streams.app import NEEDED_AGENTS
from streams.settings import Settings
from tests.harness.hooks import Hooks
from tests.harness.load import Watcher, done, plant, posts, watch
from tests.harness.pages import Pages
from tests.harness.processes import ON_THE_WAY, Deployment
from tests.harness.rest import Rest, client
from tests.harness.supervised import Supervised, supervised
from tests.harness.waiting import TIMEOUT_S, eventually, until

DOCUMENTS = 10
VERSIONS = 9
STOPPED = 30.0
"""Seconds in which every process has ended, also when its broker is away."""

lasting = pytest.mark.parametrize(
    "away", [1, pytest.param(30, marks=pytest.mark.slow)], ids="{} s".format
)


@pytest.fixture
def own_broker(tmp_path: Path) -> Iterator[LocalBroker]:
    with LocalBroker(tmp_path / "broker", 0) as broker:
        yield broker


@pytest.fixture
async def deployment(own_broker: LocalBroker, tmp_path: Path) -> AsyncIterator[Supervised]:
    async with supervised(Deployment(own_broker.bootstrap, tmp_path).settings) as running:
        yield running


@pytest.fixture
async def rest(deployment: Supervised) -> AsyncIterator[Rest]:
    async with client(deployment.settings.port) as rest:
        await rest.ready()
        yield rest


@asynccontextmanager
async def without_broker(broker: LocalBroker, _: Settings) -> AsyncIterator[None]:
    broker.kill()
    yield
    await asyncio.to_thread(broker.start)  # pages and receivers go on answering


@asynccontextmanager
async def without_store(_: LocalBroker, settings: Settings) -> AsyncIterator[None]:
    """Hold the write lock, as a tool does that was left in a transaction."""
    connect = partial(sqlite3.connect, isolation_level=None, check_same_thread=False)
    with closing(connect(settings.store_url.removeprefix("sqlite:"), timeout=TIMEOUT_S)) as other:
        await asyncio.to_thread(other.execute, "BEGIN IMMEDIATE")
        yield
        other.execute("ROLLBACK")


async def half_notified(watchers: list[Watcher]) -> None:
    enough = sum(len(watcher.expected(VERSIONS)) for watcher in watchers) // 3
    await until(lambda: posts(watchers) >= enough, "a third is notified")


async def says_so(deployment: Supervised, rest: Rest) -> None:
    """Health and logs say that the broker is away."""

    async def all_named() -> bool:
        health = await rest.health()
        problems = health.body["problems"] if health is not None else []
        named = {problem.partition(":")[0] for problem in problems}
        return named == set(NEEDED_AGENTS) and all(
            "the broker does not answer" in p for p in problems
        )

    await eventually(all_named, "every agent is named")
    await until(lambda: "Connection refused" in deployment.log("match"), "match says so")


@lasting
@pytest.mark.parametrize(
    "outage", [without_broker, pytest.param(without_store, marks=pytest.mark.slow)]
)
async def test_an_outage_is_named_and_what_changes_around_it_is_notified_when_it_is_over(
    deployment: Supervised,
    own_broker: LocalBroker,
    rest: Rest,
    pages: Pages,
    hooks: Hooks,
    outage: Callable[..., AbstractAsyncContextManager[None]],
    away: float,
) -> None:
    watchers = await watch(rest, pages, hooks, DOCUMENTS, hosts=1)
    plant(watchers, VERSIONS - 1)
    await half_notified(watchers)
    async with outage(own_broker, deployment.settings):
        if outage is without_broker:
            await says_so(deployment, rest)
        await asyncio.sleep(away)
    await done(watchers, VERSIONS)
    await rest.ready()


@pytest.mark.slow
async def test_every_agent_stops_within_thirty_seconds_while_the_broker_is_away(
    own_broker: LocalBroker, tmp_path: Path, pages: Pages, hooks: Hooks
) -> None:
    with Deployment(own_broker.bootstrap, tmp_path, is_kept=True) as deployment:
        deployment.start(*ON_THE_WAY, "api")
        async with client(deployment.settings.port) as rest:
            await rest.ready()
            watchers = await watch(rest, pages, hooks, DOCUMENTS, hosts=1)
            plant(watchers, VERSIONS - 1)
            await half_notified(watchers)
        await asyncio.to_thread(own_broker.kill)
        for name in ON_THE_WAY:
            deployment[name].signal(SIGTERM)
        ends = [asyncio.to_thread(deployment[name].ended, STOPPED) for name in ON_THE_WAY]
        await asyncio.gather(*ends)
