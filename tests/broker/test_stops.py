"""Workers of every agent that stop and come back, while hosts and receivers hang."""

import asyncio
from collections.abc import AsyncIterator

import pytest

from tests.harness.hanging import Hanging, hanging
from tests.harness.hooks import Hooks
from tests.harness.load import Watcher, done, plant, posts, watch
from tests.harness.pages import Pages, site
from tests.harness.processes import ON_THE_WAY, Deployment
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


@pytest.mark.slow
async def test_a_rolling_restart_of_every_agent_loses_nothing_and_repeats_nothing(
    pair: Deployment, pair_rest: Rest, many_hosts: Pages, hooks: Hooks
) -> None:
    froze = pair.froze()
    watchers = await watch(pair_rest, many_hosts, hooks, DOCUMENTS, HOSTS)
    plant(watchers, VERSIONS - 1)
    workers = [f"{agent}{twin}" for twin in ("", "-2") for agent in ON_THE_WAY]
    for number, name in enumerate(workers, 1):
        enough = expected(watchers) * number // (len(workers) + 1)
        await until(lambda: posts(watchers) >= enough, "many are notified")  # noqa: B023 - awaited here
        await asyncio.to_thread(pair.stop, name)
        pair[name].start()
    await done(watchers, VERSIONS)
    is_once = posts(watchers) == expected(watchers)
    assert is_once or pair.froze() > froze, "nobody is notified twice"


@pytest.mark.slow
async def test_a_host_and_a_receiver_that_hang_hold_up_no_rebalance(
    pair: Deployment, pair_rest: Rest, many_hosts: Pages, hooks: Hooks, slow: Hanging
) -> None:
    watchers = await watch(pair_rest, many_hosts, hooks, DOCUMENTS // 4, HOSTS)
    hung = many_hosts.add("<p>the giant sleeps")
    await pair_rest.subscribe(hung.url, slow.base + "/hook", "*")
    await pair_rest.subscribe(slow.base + "/page", hooks.add().url, "*")
    await hung.stored()
    hung.text = "<p>the giant wakes"
    await until(lambda: len(set(slow.held)) > 1 and "/hook" in slow.held, "host and receiver hang")
    plant(watchers, VERSIONS - 1)
    for number, agent in enumerate(("fetch", "deliver"), 1):
        name = f"{agent}-3"
        pair.start(name)
        await until(lambda: "ready  " in pair[name].said, "it has its partitions")  # noqa: B023 - awaited here
        plant(watchers, 1)
        await done(watchers, VERSIONS + number)
        await asyncio.to_thread(pair.stop, name)
    assert slow.held
