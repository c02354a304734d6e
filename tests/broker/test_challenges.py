"""Receivers that have to confirm their webhook, with two workers of deliver."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from infra.broker import LocalBroker
from tests.harness.hooks import Hooks
from tests.harness.pages import Pages
from tests.harness.processes import ON_THE_WAY, Deployment
from tests.harness.rest import client
from tests.harness.waiting import eventually


@pytest.fixture
def asking(broker: LocalBroker, tmp_path: Path) -> Iterator[Deployment]:
    with Deployment(
        broker.bootstrap, tmp_path, is_kept=True, verify_webhooks="on", retry_schedule=(0, 60, 60)
    ) as deployment:
        deployment.start(*ON_THE_WAY, "deliver-2", "api")
        yield deployment


@pytest.mark.slow  # tests/agents/deliver/test_challenges.py has the same
async def test_only_who_echoes_is_notified_and_one_host_is_challenged_three_times_an_hour(
    asking: Deployment, pages: Pages, hooks: Hooks
) -> None:
    page, willing = pages.add("<p>the giant sleeps"), hooks.add()
    silent = [hooks.add() for _ in range(4)]
    for hook in silent:
        hook.echoes = False

    async def two_are_asked() -> bool:
        return sum(len(hook.asked) for hook in silent) == 2

    async with client(asking.settings.port) as rest:
        await rest.ready()
        await rest.subscribe(page.url, willing.url, "*")
        await page.stored()
        page.text = "<p>the giant argus sleeps"
        await willing.notified()
        for hook in silent:
            await rest.subscribe(page.url, hook.url, "*")
        page.text = "<p>the giant wakes"
        await willing.notified(2)
        await eventually(two_are_asked, "two are asked")
        page.text = "<p>the giant argus wakes"
        await willing.notified(3)
        ended = [item.get("reason") for item in await rest.all() if item["state"] != "active"]
        await rest.tidy()
    assert ended == [], "a budget ends no subscription"
    assert len(willing.asked) == 1
    assert sorted(len(hook.asked) for hook in silent) == [0, 0, 1, 1]
    assert not any(hook.posts for hook in silent)
