"""Workers of every stage that stop and come back, beside hosts and receivers that hang."""

import asyncio
from collections.abc import AsyncIterator
from signal import SIGTERM

import pytest

from tests.harness.hanging import Hanging, hanging
from tests.harness.hooks import Hooks
from tests.harness.load import Watcher, done, plant, posts, watch
from tests.harness.pages import Pages, site
from tests.harness.processes import STAGES, Deployment
from tests.harness.rest import Rest
from tests.harness.waiting import until

DOCUMENTS = 40
HOSTS = 8
VERSIONS = 11


@pytest.fixture
async def many_hosts() -> AsyncIterator[Pages]:
    async with site(HOSTS) as pages:
        yield pages


@pytest.fixture
async def slow() -> AsyncIterator[Hanging]:
    async with hanging() as slow:
        yield slow


def expected(watchers: list[Watcher]) -> int:
    return sum(len(watcher.expected(VERSIONS)) for watcher in watchers)


async def restarted(deployment: Deployment, name: str) -> None:
    """Stop a worker, which must end well, and start it again."""
    assert await asyncio.to_thread(deployment[name].send, SIGTERM) == 0
    deployment[name].start()


async def test_a_rolling_restart_of_every_stage_loses_nothing_and_tells_nothing_twice(
    pair: Deployment, pair_rest: Rest, many_hosts: Pages, hooks: Hooks
) -> None:
    watchers = await watch(pair_rest, many_hosts, hooks, DOCUMENTS, HOSTS)
    plant(watchers, VERSIONS - 1)
    workers = [f"{stage}{twin}" for twin in ("", "-2") for stage in STAGES]
    for number, name in enumerate(workers, 1):
        enough = expected(watchers) * number // (len(workers) + 1)
        await until(lambda: posts(watchers) >= enough, "many are told")  # noqa: B023 - awaited here
        await restarted(pair, name)
    await done(watchers, VERSIONS)
    assert posts(watchers) == expected(watchers), "nobody is told twice"


async def test_a_host_and_a_receiver_that_hang_hold_up_no_rebalance(
    pair: Deployment, pair_rest: Rest, many_hosts: Pages, hooks: Hooks, slow: Hanging
) -> None:
    watchers = await watch(pair_rest, many_hosts, hooks, DOCUMENTS // 4, HOSTS)
    hung = many_hosts.add("<p>the giant sleeps")
    await pair_rest.subscribe(hung.url, slow.base + "/hook", "*")
    await pair_rest.subscribe(slow.base + "/page", hooks.add().url, "*")
    await hung.kept()
    hung.text = "<p>the giant wakes"
    await until(lambda: len(slow.held) == 2, "a host and a receiver hang")
    plant(watchers, VERSIONS - 1)
    for number, stage in enumerate(("fetch", "deliver"), 1):
        pair.start(f"{stage}-3")
        log = pair[f"{stage}-3"].log
        await until(lambda: "ready  " in log.read_text("utf-8"), "it has its partitions")  # noqa: B023 - awaited here
        plant(watchers, 1)
        await done(watchers, VERSIONS + number)
        assert await asyncio.to_thread(pair[f"{stage}-3"].send, SIGTERM) == 0
    assert slow.held
