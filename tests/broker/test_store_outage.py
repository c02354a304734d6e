"""A deployment on a MongoDB server that goes away for a while."""

from collections.abc import AsyncIterator, Iterator
from pathlib import Path

import pytest

from infra.broker import LocalBroker
from infra.ferretdb.server import FerretDB
from tests.harness.family import alive
from tests.harness.hooks import Hooks
from tests.harness.pages import Pages
from tests.harness.processes import STAGES, Deployment
from tests.harness.rest import Answer, Rest, client
from tests.harness.waiting import eventually, until


@pytest.fixture
def shared_store(ferret: FerretDB, broker: LocalBroker, tmp_path: Path) -> Iterator[Deployment]:
    """Everything on a store that can be stopped."""
    url = f"{ferret.url}news?serverSelectionTimeoutMS=500"
    with ferret, Deployment(broker.bootstrap, tmp_path / "shared", store=url) as deployment:
        deployment.start(*STAGES, "api")
        yield deployment


@pytest.fixture
async def rest(shared_store: Deployment) -> AsyncIterator[Rest]:
    async with client(shared_store.settings.port) as rest:
        await rest.ready()
        yield rest


async def test_a_change_while_the_store_is_away_is_told_when_it_is_back(
    ferret: FerretDB, shared_store: Deployment, rest: Rest, pages: Pages, hooks: Hooks
) -> None:
    page, hook = pages.add("<p>the giant sleeps"), hooks.add()
    await rest.subscribe(page.url, hook.url, "argus")
    await page.kept()
    workers = {shared_store[name].pid for name in STAGES}
    ferret.stop()
    page.text = "<p>the giant argus sleeps"

    async def unwell() -> Answer | None:
        health = await rest.health()
        return health if health is not None and health.status == 503 else None

    health = await eventually(unwell, "health tells of the store")
    assert any(problem.startswith("store: ") for problem in health.body["problems"])
    log = shared_store["fetch"].log
    await until(lambda: "trying again" in log.read_text("utf-8"), "fetch waits for the store")
    assert hook.posts == []
    ferret.start()
    (told,) = await hook.told()
    assert [(diff["event"], diff["keyword"]) for diff in told["diffs"]] == [("added", "argus")]
    await rest.ready()
    (listed,) = await rest.listed(hook.url)
    assert listed["state"] == "active"
    assert alive(workers) == workers, "nobody had to be started again"
