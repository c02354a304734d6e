"""A change is notified once it stands, whatever dies meanwhile, and not if it goes back."""

from collections.abc import AsyncIterator

import pytest

from infra.broker import LocalBroker
from tests.harness.hooks import Hooks
from tests.harness.pages import Pages
from tests.harness.processes import STAGES, Deployment
from tests.harness.rest import Rest, client

OPEN, SOLD = "<p>Zeus sings.<p>Tickets are left.", "<p>Zeus sings.<p>Tickets are sold out."


@pytest.fixture
async def deployment(
    broker: LocalBroker, tmp_path_factory: pytest.TempPathFactory
) -> AsyncIterator[Deployment]:
    with Deployment(broker.bootstrap, tmp_path_factory.mktemp("patience")) as deployment:
        deployment.start(*STAGES, "api")
        yield deployment


async def test_what_stands_is_notified_after_kills_and_what_goes_back_is_not(
    deployment: Deployment, pages: Pages, hooks: Hooks
) -> None:
    page = pages.add(OPEN)
    patient, prompt, waiting = hooks.add(), hooks.add(), hooks.add()
    async with client(deployment.settings.port) as rest:
        await rest.ready()
        await rest.subscribe(page.url, waiting.url, "sold", patienceVisits=100)
        await rest.subscribe(page.url, prompt.url, "sold")
        await page.stored()
        page.text = SOLD
        await prompt.notified()
        page.text = OPEN
        went_back = await shows_dropped(rest)
        assert (went_back["changes"], went_back["since"]) == (0, None)
        assert str(went_back["reason"]).endswith("Tickets are sold out.")
        await rest.subscribe(page.url, patient.url, "sold", patienceVisits=4)
        page.text = SOLD
        for stage in ("match", "fetch"):
            deployment[stage].kill()
            deployment.start(stage)
        (body,) = await patient.notified()
        assert body["stood"]["visits"] >= 4
        assert [diff["keyword"] for diff in body["diffs"]] == ["sold"]
        assert body["stood"]["since"] < body["at"]
        assert waiting.bodies == []
        await rest.tidy()


async def shows_dropped(rest: Rest) -> dict[str, object]:
    item = await rest.shows(
        lambda item: bool((item["notYetNotified"] or {}).get("dropped")), "what did not stand"
    )
    found: dict[str, object] = item["notYetNotified"]
    return found
