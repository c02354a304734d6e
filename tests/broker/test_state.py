"""Local copies of tables that are damaged, deleted or on a full disk: nobody has to do anything."""

import os
import resource
import shutil
from collections.abc import AsyncIterator, Callable
from pathlib import Path
from signal import SIGKILL, SIGTERM

import pytest

from infra.broker import LocalBroker
from streams.engine.life.loop_watch import BROKEN
from tests.harness.hooks import Hooks
from tests.harness.pages import Page, Pages
from tests.harness.processes import FROZE, ON_THE_WAY, Deployment
from tests.harness.rest import Rest, client
from tests.harness.supervised import Supervised, supervised
from tests.harness.waiting import until

SMALL = 4096
"""Bytes that a file may have on a disk that is as good as full."""


@pytest.fixture
async def deployment(broker: LocalBroker, tmp_path: Path) -> AsyncIterator[Supervised]:
    async with supervised(Deployment(broker.bootstrap, tmp_path).settings) as running:
        yield running


@pytest.fixture
async def rest(deployment: Supervised) -> AsyncIterator[Rest]:
    async with client(deployment.settings.port) as rest:
        await rest.ready()
        yield rest


def state(deployment: Supervised) -> Path:
    return deployment.settings.data_dir / "state" / "match"


def folders(deployment: Supervised) -> list[Path]:
    """RocksDB's folders of match, one for each partition."""
    return [current.parent for current in state(deployment).rglob("CURRENT")]


def damage(deployment: Supervised) -> None:
    """Spoil each partition's files in another way."""
    spoilt = folders(deployment)
    assert len(spoilt) == deployment.settings.partitions
    for folder, pattern in zip(spoilt, ("CURRENT", "MANIFEST*", "*", "LOCK"), strict=True):
        for file in folder.glob(pattern):
            file.write_bytes(os.urandom(500))


def delete(deployment: Supervised) -> None:
    shutil.rmtree(state(deployment))


async def end(deployment: Supervised, *, by: int) -> None:
    """End match, which its supervisor starts again."""
    ends = len(deployment.ends("match"))
    os.kill(deployment.pid("match"), by)
    await until(lambda: len(deployment.ends("match")) > ends, "match has ended")


async def changes(page: Page, hook_notified: Callable[[], int], word: str) -> None:
    """Change a page and wait until it is notified."""
    before = hook_notified()
    page.text += f"<p>the giant argus {word}"
    await until(lambda: hook_notified() > before, f"{word} is notified")


@pytest.mark.parametrize(
    "spoil",
    [pytest.param(damage, marks=pytest.mark.slow), delete],
    ids=["damaged while it is stopped", "deleted while it is at work"],
)
async def test_subscriptions_outlive_the_folder_of_their_agent(
    deployment: Supervised,
    rest: Rest,
    pages: Pages,
    hooks: Hooks,
    spoil: Callable[[Supervised], None],
) -> None:
    watched = [(pages.add("<p>the giant sleeps"), hooks.add()) for _ in range(6)]
    for page, hook in watched:
        await rest.subscribe(page.url, hook.url, "argus")
        await page.stored()
    if spoil is damage:
        await end(deployment, by=SIGTERM)
        spoil(deployment)
    else:
        spoil(deployment)
        await rest.subscribe(watched[0][0].url, hooks.add().url, "argus")
        await end(deployment, by=SIGKILL)
    for page, hook in watched:
        await changes(page, lambda: len(hook.posts), "wakes")  # noqa: B023 - awaited here
    if spoil is damage:
        assert deployment.log("match").count("a broken local copy is deleted") >= 2
    assert len(folders(deployment)) == deployment.settings.partitions
    await rest.ready()


@pytest.mark.slow
@pytest.mark.skipif(not hasattr(resource, "prlimit"), reason="needs Linux to fill a disk")
async def test_an_agent_without_room_for_its_table_ends_and_goes_on_once_there_is(
    deployment: Supervised, rest: Rest, pages: Pages, hooks: Hooks
) -> None:
    page, hook = pages.add("<p>the giant sleeps"), hooks.add()
    resource.prlimit(deployment.pid("match"), resource.RLIMIT_FSIZE, (SMALL, SMALL))
    number = 0
    while not deployment.ends("match"):
        number += 1
        await rest.call("/subscribe", job(f"{page.url}/{number}", hook.url))
    assert f"match ended with status {BROKEN}" in deployment.ends("match")[0]
    await rest.ready()
    await rest.subscribe(page.url, hook.url, "argus")
    await page.stored()
    await changes(page, lambda: len(hook.posts), "wakes")


@pytest.mark.slow
@pytest.mark.skipif(not hasattr(resource, "prlimit"), reason="needs Linux to fill a disk")
async def test_agents_without_room_in_the_store_wait_for_it(
    deployment: Supervised, rest: Rest, pages: Pages, hooks: Hooks
) -> None:
    page, hook = pages.add("<p>the giant sleeps"), hooks.add()
    free = resource.RLIM_INFINITY
    for agent in ("fetch", "record"):
        resource.prlimit(deployment.pid(agent), resource.RLIMIT_FSIZE, (SMALL, free))
    await rest.subscribe(page.url, hook.url, "argus")
    await page.requested(3)
    for agent in ("fetch", "record"):
        resource.prlimit(deployment.pid(agent), resource.RLIMIT_FSIZE, (free, free))
    await until(lambda: page.requests[-1].if_none_match == page.etag, "the page is kept")
    await changes(page, lambda: len(hook.posts), "wakes")
    await rest.shows(lambda item: item["documentUrl"] == page.url, "the subscription")
    froze = sum(deployment.log(name).count(FROZE) for name in ON_THE_WAY)
    assert len(deployment.ends()) == froze, "nobody else had to be started again"


def job(document: str, client: str) -> dict[str, object]:
    return {"documentUrl": document, "clientUrl": client, "keywords": ["argus"], "interval": 3600}
