"""Workers that come and go while receivers take their time: nobody is notified twice."""

import asyncio
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

from infra.broker import LocalBroker
from streams.values.agent import group_id
from streams.values.partitions import partition_of
from tests.harness.groups import remove_member
from tests.harness.hooks import Hooks
from tests.harness.pages import Pages
from tests.harness.processes import ON_THE_WAY, Deployment
from tests.harness.rest import client
from tests.harness.waiting import until

COUNT = 12
SLOW_S = 6.0
"""Longer than other agents let their work finish at a rebalance."""

READY = re.compile(r"\bready\b.*agent=deliver .*partitions=\[(\d[\d, ]*)\]")


@pytest.fixture
def two(broker: LocalBroker, tmp_path: Path) -> Iterator[Deployment]:
    with Deployment(broker.bootstrap, tmp_path, is_kept=True) as deployment:
        deployment.start(*ON_THE_WAY, "deliver-2", "api")
        yield deployment


def taken_up(deployment: Deployment, name: str) -> list[int]:
    """Return the partitions that a worker was assigned last."""
    found = READY.findall(deployment[name].said)
    return [int(number) for number in found[-1].split(",")] if found else []


@pytest.mark.slow
async def test_a_rebalance_lets_posts_end_and_nobody_is_notified_twice(
    two: Deployment, pages: Pages, hooks: Hooks
) -> None:
    await until(lambda: len(taken_up(two, "deliver-2")) == 2, "the second has its partitions")
    await until(lambda: len(taken_up(two, "deliver")) == 2, "the first has the others")
    first, second = taken_up(two, "deliver"), taken_up(two, "deliver-2")
    count = two.settings.partitions
    candidates = [hooks.add() for _ in range(10 * COUNT)]
    receivers = [hook for hook in candidates if partition_of(hook.url, count) in first][:COUNT]
    documents = [pages.add("<p>the giant sleeps") for _ in receivers]
    async with client(two.settings.port) as rest:
        await rest.ready()
        for page, hook in zip(documents, receivers, strict=True):
            hook.delay = SLOW_S
            await rest.subscribe(page.url, hook.url, "*", interval=1)
            await page.stored()
        hooks.gate.clear()
        for page in documents:
            page.text = "<p>the giant wakes"
        await until(lambda: len(hooks.held) == COUNT, "all POSTs wait for their answer")
        begun = two["deliver"].said.count("finishing the events")
        # The second has nothing in hand, so whatever is cut off is the first's.
        await asyncio.to_thread(two["deliver-2"].kill)
        group = group_id(two.settings.topic_prefix, "deliver")
        await remove_member(str(two.settings.kafka), group, second)
        await until(
            lambda: two["deliver"].said.count("finishing the events") > begun,
            "the first lets POSTs end",
        )
        hooks.gate.set()
        for hook in receivers:
            await hook.notified()
        await until(lambda: len(taken_up(two, "deliver")) == count, "it has all partitions")
        for page, hook in zip(documents, receivers, strict=True):
            hook.delay = 0
            page.text = "<p>the giant yawns"
        for hook in receivers:
            await hook.notified(2)
        await rest.tidy()
    assert [len({post.id for post in hook.posts}) for hook in receivers] == [2] * COUNT
    assert [len(hook.posts) for hook in receivers] == [2] * COUNT
    assert hooks.cut_off == 0, "a POST may have been obeyed though its sender has left"
