"""A deployment on a MongoDB server that goes away for a while."""

from collections.abc import AsyncIterator, Iterator
from pathlib import Path

import pytest

from infra.broker import LocalBroker
from tests.harness.hooks import Hooks
from tests.harness.pages import Pages
from tests.harness.processes import ON_THE_WAY, Deployment
from tests.harness.rest import Rest, client
from tests.harness.waiting import eventually, until
from tests.servers.ferretdb.server import FerretDB


@pytest.fixture
def shared_store(ferret: FerretDB, broker: LocalBroker, tmp_path: Path) -> Iterator[Deployment]:
    """Everything on a store that can be stopped."""
    url = f"{ferret.url}news?serverSelectionTimeoutMS=2000"
    folder = tmp_path / "shared"
    with ferret, Deployment(broker.bootstrap, folder, is_kept=True, store=url) as deployment:
        deployment.start(*ON_THE_WAY, "api")
        yield deployment


@pytest.fixture
async def rest(shared_store: Deployment) -> AsyncIterator[Rest]:
    async with client(shared_store.settings.port) as rest:
        await rest.ready()
        yield rest


@pytest.mark.slow  # tests/connectors/stores/test_mongo_server.py has broken connections
async def test_a_change_while_the_store_is_away_is_notified_when_it_is_back(
    ferret: FerretDB, shared_store: Deployment, rest: Rest, pages: Pages, hooks: Hooks
) -> None:
    page, hook = pages.add("<p>the giant sleeps"), hooks.add()
    await rest.subscribe(page.url, hook.url, "argus")
    await page.stored()
    restarts = shared_store.restarts(), shared_store.froze()
    ferret.stop()
    page.text = "<p>the giant argus sleeps"

    async def unwell() -> bool:
        health = await rest.health()
        problems = health.body["problems"] if health is not None else []
        return any(problem.startswith("store: ") for problem in problems)

    await eventually(unwell, "health names the store")
    fetch = shared_store["fetch"]
    await until(lambda: "retrying" in fetch.said, "fetch waits for the store")
    assert hook.posts == []
    ferret.start()
    (notified,) = await hook.notified()
    assert [(diff["event"], diff["keyword"]) for diff in notified["diffs"]] == [("added", "argus")]
    await rest.ready()
    await rest.shows(
        lambda item: (item["clientUrl"], item["state"]) == (hook.url, "active"), "the subscription"
    )
    again, frozen = shared_store.restarts() - restarts[0], shared_store.froze() - restarts[1]
    assert again == frozen, "nobody else had to be started again"
