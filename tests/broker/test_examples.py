"""Every file of examples/ runs as its README says, with a running deployment."""

import re
import shutil
import sys
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from pathlib import Path
from signal import SIGINT
from typing import Any
from uuid import uuid4

import pytest
from aiohttp import web

from infra.ports import any_free
from schemas.records.subscription_facts import Cancelled, Subscribed
from schemas.records.topics import SUBSCRIPTIONS
from tests.harness.commands import Command
from tests.harness.facts import reading
from tests.harness.pages import Pages
from tests.harness.processes import Deployment, environment
from tests.harness.rest import Rest
from tests.harness.template import ROOT
from tests.harness.waiting import until
from tests.harness.web import served

PYTHON, SHELL = (sys.executable,), ("/bin/sh",)
BEFORE, AFTER = "<p>the giant sleeps", "<p>the giant argus sleeps"
EDITED = "edited: the giant sleeps\n→ the giant argus sleeps"
THIS = Path(__file__).read_text("utf-8")


class Examples:
    """Starts examples with what their settings are here."""

    def __init__(self, deployment: Deployment, folder: Path) -> None:
        self._settings = deployment.settings
        self._folder = folder

    def start(self, name: str, *arguments: str, **env: str) -> Command:
        ours = environment(self._settings) | {"PYTHONPATH": str(ROOT), "INTERVAL": "1"}
        ours["API"] = f"http://127.0.0.1:{self._settings.port}/vokter/v1"
        line: Sequence[str] = PYTHON if name.endswith(".py") else SHELL
        path = str(ROOT / "examples" / name)
        return Command(ours | env, self._folder, path, *arguments, program=line)


@pytest.fixture
def examples(shared: Deployment, tmp_path: Path) -> Examples:
    return Examples(shared, tmp_path)


@asynccontextmanager
async def session(rest: Rest, page: str) -> AsyncIterator[str]:
    """A subscription; its notifications are read from the topic."""
    body = {"documentUrl": page, "session": uuid4().hex, "keywords": ["argus"], "interval": 1}
    assert (await rest.call("/subscribe", body)).status == 200
    yield str(body["session"])
    await rest.call("/cancel", body)


@pytest.mark.parametrize(
    "name", sorted(path.name for path in (ROOT / "examples").glob("*.*") if path.suffix != ".md")
)
def test_every_example_is_in_the_index_and_run_here(name: str) -> None:
    assert f"({name})" in (ROOT / "examples/README.md").read_text("utf-8")
    assert re.search(rf'start\(\s*"{re.escape(name)}"', THIS) or f'"{name}"' in THIS


async def test_the_library_prints_changes_and_cancels_at_ctrl_c(
    examples: Examples, rest: Rest, pages: Pages
) -> None:
    page = pages.add(BEFORE)
    async with examples.start("library.py", page.url, "argus") as library:
        await library.says(f"watching {page.url}")
        await page.stored()
        page.text = AFTER
        await library.says(f"client-1: {page.url}\n{EDITED}")
        library.signal(SIGINT)
        assert (await library.ended()).status == 0
        assert "no longer watching" in library.out
    body = {"documentUrl": page.url, "session": "client-1", "manager": "news-desk"}
    assert (await rest.call("/cancel", body)).body["code"] == "7"


async def test_notifications_go_to_a_service_through_apprise(
    examples: Examples, rest: Rest, pages: Pages
) -> None:
    page, taken = pages.add(BEFORE), list[Any]()

    async def service(request: web.Request) -> web.Response:
        taken.append(await request.json())
        return web.Response(status=200 if len(taken) > 1 else 500)

    async with served(service) as (url,):
        to = {"NOTIFY": url.replace("http://", "json://")}
        async with examples.start("notify.py", page.url, "argus", **to) as notify:
            await notify.says(f"watching {page.url}")
            await page.stored()
            page.text = AFTER
            await until(lambda: len(taken) >= 2, "it is sent again")
            notify.signal(SIGINT)
            assert (await notify.ended()).status == 0
    assert taken[0]["title"] == taken[1]["title"] == f"{page.url} has changed"
    link = f"{page.url}#:~:text=the%20giant%20argus%20sleeps"
    edited = f'<span dir="ltr"><a href="{link}">edited</a></span>: the giant sleeps'
    after = '<span dir="auto">→ the giant <ins><b>argus</b> </ins>sleeps</span>'
    assert taken[1]["message"] == f'<p dir="auto">{edited}<br>{after}</p>'


async def test_rest_with_curl_subscribes_lists_cancels_and_asks_for_health(
    examples: Examples, rest: Rest, pages: Pages
) -> None:
    page = pages.add(BEFORE)
    async with examples.start("rest.sh", page.url, page.url + "/hook") as curl:
        result = await curl.ended()
    assert result.status == 0, result.err
    subscribed, listed, cancelled, health = result.out.splitlines()
    assert "whsec_" in subscribed
    assert '"subscriptions"' in listed
    assert '"code": "0"' in cancelled
    assert '"status"' in health


@pytest.mark.skipif(shutil.which("kcat") is None, reason="examples/produce.sh NOT TESTED: no kcat")
async def test_a_request_is_produced_with_kcat(
    examples: Examples, shared: Deployment, rest: Rest, pages: Pages
) -> None:
    page, name = pages.add(BEFORE), uuid4().hex
    async with reading(shared.settings, SUBSCRIPTIONS) as facts:
        for more, kind in (((), Subscribed), (("cancel",), Cancelled)):
            async with examples.start("produce.sh", page.url, name, *more) as kcat:
                result = await kcat.ended()
            assert result.status == 0, result.err
            await until(lambda k=kind: facts.of(k, url=page.url), f"{kind.__name__} is there")  # type: ignore[misc]  # bound now


@pytest.mark.parametrize("name", ["consume_aiokafka.py", "consume_confluent.py"])
async def test_a_sessions_notifications_are_consumed(
    name: str, examples: Examples, rest: Rest, pages: Pages
) -> None:
    page = pages.add(BEFORE)
    async with session(rest, page.url) as reader:
        await page.stored()
        page.text = AFTER
        async with examples.start(name, reader) as consumer:
            await consumer.says(f"{page.url}\n{EDITED}")
            consumer.signal(SIGINT)
            assert (await consumer.ended()).status == 0


async def test_a_webhook_verifies_its_notifications(
    examples: Examples, rest: Rest, pages: Pages
) -> None:
    page, port = pages.add(BEFORE), any_free()
    hook = f"http://127.0.0.1:{port}/hook"
    body = {"documentUrl": page.url, "clientUrl": hook, "keywords": ["argus"], "interval": 1}
    secret = (await rest.call("/subscribe", body)).body["secret"]
    async with examples.start("webhook.py", str(port), SECRET=secret) as webhook:
        await webhook.says("Running on")
        await page.stored()
        page.text = AFTER
        await webhook.says(f"{page.url} edited 'the giant sleeps → the giant argus sleeps'")
        forged = Rest(rest._http, hook)
        with pytest.raises(Exception, match="unexpected mimetype"):
            await forged.post("", b"{}", {"webhook-id": "1", "webhook-timestamp": "1"})
        await webhook.says("refused")
        webhook.signal(SIGINT)
        assert (await webhook.ended()).status == 0
    await rest.call("/cancel", body)
