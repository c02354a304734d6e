"""Workers that come and go while receivers take their time: nobody is notified twice."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from infra.broker import LocalBroker
from tests.harness.hooks import Hooks
from tests.harness.pages import Pages
from tests.harness.processes import STAGES, Deployment
from tests.harness.rest import client
from tests.harness.waiting import until

COUNT = 12
SLOW_S = 6.0
"""Longer than other stages let their work finish at a rebalance."""


@pytest.fixture
def single(broker: LocalBroker, tmp_path: Path) -> Iterator[Deployment]:
    with Deployment(broker.bootstrap, tmp_path, is_kept=True) as deployment:
        deployment.start(*STAGES, "api")
        yield deployment


async def test_a_rebalance_lets_posts_end_and_nobody_is_notified_twice(
    single: Deployment, pages: Pages, hooks: Hooks
) -> None:
    documents = [pages.add("<p>the giant sleeps") for _ in range(COUNT)]
    receivers = [hooks.add() for _ in documents]
    async with client(single.settings.port) as rest:
        await rest.ready()
        for page, hook in zip(documents, receivers, strict=True):
            hook.delay = SLOW_S
            await rest.subscribe(page.url, hook.url, "*", interval=1)
            await page.stored()
        hooks.gate.clear()
        for page in documents:
            page.text = "<p>the giant wakes"
        await until(lambda: len(hooks.held) == COUNT, "all POSTs wait for their answer")
        single.start("deliver-2")
        await until(lambda: "rebalancing" in single["deliver"].said, "the group rebalances")
        hooks.gate.set()
        for hook in receivers:
            await hook.notified()
        await until(lambda: "ready" in single["deliver-2"].said, "it has its partitions")
        for page, hook in zip(documents, receivers, strict=True):
            hook.delay = 0
            page.text = "<p>the giant yawns"
        for hook in receivers:
            await hook.notified(2)
        await rest.tidy()
    assert [len({post.id for post in hook.posts}) for hook in receivers] == [2] * COUNT
    assert [len(hook.posts) for hook in receivers] == [2] * COUNT
    assert hooks.cut_off == 0, "a POST whose sender has left may have been obeyed"
