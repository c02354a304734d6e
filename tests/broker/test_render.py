"""A page that needs scripts, from the request to the notification."""

from collections.abc import AsyncIterator
from typing import Any

import pytest

from infra.broker import LocalBroker
from tests.harness.browser import browser_path
from tests.harness.hooks import Hooks
from tests.harness.pages import Pages
from tests.harness.processes import STAGES, Deployment
from tests.harness.rest import Rest, client

SCRIPTED = """<p id=a>static</p><script>a.textContent = ["{}", "by", "script"].join(" ")</script>"""


@pytest.fixture
async def rest(
    broker: LocalBroker, tmp_path_factory: pytest.TempPathFactory
) -> AsyncIterator[Rest]:
    """A deployment with a browser."""
    browser, folder = browser_path(), tmp_path_factory.mktemp("render")
    with Deployment(broker.bootstrap, folder, browser=browser) as deployment:
        deployment.start(*STAGES, "render", "api")
        async with client(deployment.settings.port) as rest:
            await rest.ready()
            yield rest


def added(body: dict[str, Any]) -> list[str]:
    return [diff["snippet"] for diff in body["diffs"] if diff["event"] == "added"]


async def test_what_scripts_write_is_notified_to_those_who_want_it_rendered(
    rest: Rest, pages: Pages, hooks: Hooks
) -> None:
    page, plain, seen = pages.add(SCRIPTED.format("zeus")), hooks.add(), hooks.add()
    view = {"render": True, "waitFor": {"text": "script"}}
    await rest.subscribe(page.url, seen.url, "*", view=view)
    await page.stored()
    await rest.subscribe(page.url, plain.url, "*")
    await page.stored()
    await page.requested(4)  # of both kinds
    page.text = SCRIPTED.format("hera").replace("static", "static too")
    (rendered,), (fetched,) = await seen.notified(), await plain.notified()
    assert added(rendered) == ["hera by script"]
    assert "static too" in added(fetched)[0]
    assert "by script" not in str(fetched)
