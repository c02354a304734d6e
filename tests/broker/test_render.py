"""A page that needs scripts, from the request to the notification."""

from collections.abc import AsyncIterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from PIL import Image

from infra.broker import LocalBroker
from tests.harness.browser import browser_path
from tests.harness.commands import vokter
from tests.harness.hooks import Hooks
from tests.harness.pages import Pages
from tests.harness.processes import ON_THE_WAY, Deployment, environment
from tests.harness.rest import Rest, client

COLOURED = """<body style="margin: 0; background: {0}"><p>{0}</p>"""
SCRIPTED = """<p id=a>static</p><script>a.textContent = ["{}", "by", "script"].join(" ")</script>"""


@dataclass(frozen=True, slots=True)
class Rendering:
    """A deployment with a browser, and its API."""

    rest: Rest
    deployment: Deployment


@pytest.fixture
async def rendering(
    broker: LocalBroker, tmp_path_factory: pytest.TempPathFactory
) -> AsyncIterator[Rendering]:
    """A deployment with a browser."""
    browser, folder = browser_path(), tmp_path_factory.mktemp("render")
    with Deployment(broker.bootstrap, folder, browser=browser) as deployment:
        deployment.start(*ON_THE_WAY, "render", "api")
        async with client(deployment.settings.port) as rest:
            await rest.ready()
            yield Rendering(rest, deployment)


@pytest.fixture
def rest(rendering: Rendering) -> Rest:
    """Its API."""
    return rendering.rest


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


@pytest.mark.slow
async def test_pictures_before_and_after_a_change_are_kept_and_compared(
    rendering: Rendering, pages: Pages, hooks: Hooks, tmp_path: Path
) -> None:
    rest, page, hook = rendering.rest, pages.add(COLOURED.format("white")), hooks.add()
    view = {"render": True, "screenshot": True}
    await rest.subscribe(page.url, hook.url, "*", view=view)
    await page.stored()
    page.text = COLOURED.format("black")
    (body,) = await hook.notified()
    assert body["pictureChange"] > 0.9
    (change,) = await rest.history("changes", documentUrl=page.url)
    assert change["pictureChange"] == body["pictureChange"]
    env = environment(rendering.deployment.settings)
    for options, darkness in (([], 0), (["--earlier"], 255)):
        file = tmp_path / "page.jpg"
        saved = await vokter(env, tmp_path, "picture", page.url, str(file), *options)
        assert saved.status == 0, saved
        with Image.open(file) as picture:
            assert picture.convert("L").getpixel((600, 600)) == pytest.approx(darkness, abs=9)
