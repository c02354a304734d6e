"""Two workers of each agent at work, in peace and when one of them dies."""

import asyncio
from collections.abc import AsyncIterator
from signal import SIGKILL

import pytest

from tests.harness.hooks import Hooks
from tests.harness.load import Watcher, done, plant, posts, watch
from tests.harness.pages import Pages, site
from tests.harness.processes import Deployment
from tests.harness.rest import Rest
from tests.harness.waiting import until

pytestmark = pytest.mark.slow  # tests/model and test_deliveries.py have deaths of workers

DOCUMENTS = 24
HOSTS = 8
VERSIONS = 7
VERSIONS_EACH = 3
"""Versions that are planted before each of the two workers of deliver dies."""
COMMITS = 3
"""Looks at a page, one a second, in which every worker has committed what it acknowledged."""


@pytest.fixture
async def many_hosts() -> AsyncIterator[Pages]:
    async with site(HOSTS) as pages:
        yield pages


def expected(watchers: list[Watcher]) -> int:
    return sum(len(watcher.expected(VERSIONS)) for watcher in watchers)


async def test_two_workers_of_each_agent_notify_everybody_of_everything(
    pair: Deployment, pair_rest: Rest, many_hosts: Pages, hooks: Hooks
) -> None:
    froze = pair.froze()
    watchers = await watch(pair_rest, many_hosts, hooks, DOCUMENTS, HOSTS)
    plant(watchers, VERSIONS - 1)
    await done(watchers, VERSIONS)
    is_once = posts(watchers) == expected(watchers)
    assert is_once or pair.froze() > froze, "without a crash nobody is notified twice"


@pytest.mark.parametrize("agent", ["fetch", "match"])
async def test_a_worker_killed_under_load_and_restarted_loses_no_notification(
    pair: Deployment, pair_rest: Rest, many_hosts: Pages, hooks: Hooks, agent: str
) -> None:
    watchers = await watch(pair_rest, many_hosts, hooks, DOCUMENTS, HOSTS)
    plant(watchers, VERSIONS - 1)
    for share, name in enumerate((agent, f"{agent}-2"), 1):
        enough = expected(watchers) * share // 3
        await until(lambda: posts(watchers) >= enough, "many are notified")  # noqa: B023 - awaited here
        await asyncio.to_thread(pair[name].send, SIGKILL)
        pair[name].start()
    await done(watchers, VERSIONS)


async def test_what_a_dead_deliver_worker_was_sending_is_sent_by_the_next(
    pair: Deployment, pair_rest: Rest, many_hosts: Pages, hooks: Hooks
) -> None:
    watchers = await watch(pair_rest, many_hosts, hooks, DOCUMENTS, HOSTS)
    for number, name in enumerate(("deliver", "deliver-2"), 1):
        hooks.gate.clear()
        plant(watchers, VERSIONS_EACH)
        await until(lambda: len(hooks.held) >= DOCUMENTS, "many POSTs wait for their answer")
        await watchers[0].page.requested(COMMITS)
        await asyncio.to_thread(pair[name].send, SIGKILL)
        await until(hooks.dropped, "the dead worker's connections are gone")
        hooks.gate.set()
        pair[name].start()
        await done(watchers, 1 + number * VERSIONS_EACH)
        await until(lambda: not hooks.held, "all POSTs have their answer")
