"""Topics that an operator deletes and creates again, while the workers are away or at work."""

import asyncio
from collections.abc import Iterator
from pathlib import Path

import pytest

from infra.broker import LocalBroker
from schemas.records.topics import (
    ATTEMPTS,
    CHANGES,
    NOTIFICATIONS,
    SUBSCRIPTION_REQUESTS,
    SUBSCRIPTIONS,
)
from tests.harness.events import listening
from tests.harness.hooks import Hooks
from tests.harness.pages import Pages
from tests.harness.processes import ON_THE_WAY, Deployment
from tests.harness.recreation import recreate_topics
from tests.harness.rest import client
from tests.harness.waiting import until

RECREATED = (SUBSCRIPTION_REQUESTS, SUBSCRIPTIONS, CHANGES, NOTIFICATIONS, ATTEMPTS)
SLEEPS, WAKES, YAWNS = "<p>the giant sleeps", "<p>the giant wakes", "<p>the giant yawns"
EARLIER = 5
EXCUSE = "topics were created again, and are read from their beginning"


@pytest.fixture
def deployment(broker: LocalBroker, tmp_path: Path) -> Iterator[Deployment]:
    with Deployment(
        broker.bootstrap,
        tmp_path,
        is_kept=True,
        excuse=EXCUSE,
        partitions=1,
        retry_schedule=(0, 3, 3, 3, 3, 3),
    ) as deployment:
        deployment.start(*ON_THE_WAY, "api")
        yield deployment


@pytest.mark.slow  # tests/engine/acks/test_topic_ids.py has how it is noticed
@pytest.mark.parametrize("at_work", [False, True])
async def test_topics_that_are_created_again_lose_no_request_and_nothing_that_waits(
    deployment: Deployment, pages: Pages, hooks: Hooks, at_work: bool
) -> None:
    page, hook, refusing = pages.add(SLEEPS), hooks.add(), hooks.add()
    async with client(deployment.settings.port) as rest:
        await rest.ready()
        # Offsets that the new topics do not have for some time.
        for number in range(EARLIER):
            await rest.subscribe(page.url, f"{hook.url}?{number}", "*")
        await rest.subscribe(page.url, refusing.url, "*")
        await page.stored()
        refusing.script = [500, 500]
        page.text = WAKES
        await hook.notified(EARLIER)
        await refusing.notified()
        async with listening(deployment, page.url) as stream:
            last, _ = await stream.next()
        if not at_work:
            for agent in ON_THE_WAY:
                await asyncio.to_thread(deployment.stop, agent)
        await recreate_topics(deployment.settings, RECREATED)
        if not at_work:
            deployment.start(*ON_THE_WAY)
        await until(lambda: refusing.posts[-1].status == 204, "what waited is sent")
        newer = hooks.add()
        await rest.subscribe(page.url, newer.url, "*")
        page.text = YAWNS
        for receiver, times in ((newer, 1), (hook, 2 * EARLIER), (refusing, 4)):
            await receiver.notified(times)
        async with listening(deployment, page.url, last) as stream:
            heard = [(await stream.next())[1] for _ in range(1 + EARLIER + 2)]
        await rest.ready()
        await rest.tidy()
    assert len({post.id for post in refusing.posts}) == 2
    assert heard == [[], *[["*", "*"]] * (EARLIER + 2)], "all that the new topic has"
    assert [body["diffs"][-1]["text"] for body in newer.bodies] == ["yawns"]
