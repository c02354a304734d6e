"""A change is notified once it stands, whatever dies meanwhile, and not if it goes back."""

from collections.abc import Iterator
from typing import Any

import pytest

from infra.broker import LocalBroker
from tests.harness.hooks import Hooks
from tests.harness.pages import Pages
from tests.harness.processes import ON_THE_WAY, Deployment
from tests.harness.rest import Rest, client

OPEN, SOLD = "<p>Zeus sings.<p>Tickets are left.", "<p>Zeus sings.<p>Tickets are sold out."


@pytest.fixture
def deployment(
    broker: LocalBroker, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[Deployment]:
    with Deployment(broker.bootstrap, tmp_path_factory.mktemp("patience")) as deployment:
        deployment.start(*ON_THE_WAY, "api")
        yield deployment


@pytest.mark.slow  # tests/agents/match/test_patience.py has its crashes
async def test_what_stands_is_notified_after_kills_and_what_goes_back_is_not(
    deployment: Deployment, pages: Pages, hooks: Hooks
) -> None:
    page = pages.add(OPEN)
    patient, prompt, waiting = (hooks.add().url for _ in range(3))
    async with client(deployment.settings.port) as rest:
        await rest.ready()
        await rest.subscribe(page.url, waiting, "sold", patience=3600)
        await rest.subscribe(page.url, prompt, "sold")
        await page.stored()
        page.text = SOLD
        (found,) = await rest.history("notifications", client=prompt)
        assert found["stood"] is None
        page.text = OPEN
        went_back = await shows_dropped(rest)
        assert (went_back["changes"], went_back["since"]) == (0, None)
        assert went_back["reason"].endswith("Tickets are sold out.")
        await rest.subscribe(page.url, patient, "sold", patienceVisits=4)
        page.text = SOLD
        for agent in ("match", "fetch"):
            deployment[agent].kill()
            deployment.start(agent)
        (found,) = await rest.history("notifications", client=patient)
        assert found["stood"]["visits"] >= 4
        assert found["stood"]["since"] < found["at"]
        assert [diff["keyword"] for diff in found["diffs"]] == ["sold"]
        assert (await rest.get("/notifications", client=waiting)).body["notifications"] == []
        await rest.tidy()


async def shows_dropped(rest: Rest) -> Any:
    item = await rest.shows(
        lambda item: bool((item["notYetNotified"] or {}).get("dropped")), "what did not stand"
    )
    return item["notYetNotified"]
