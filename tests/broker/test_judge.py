"""Rules in plain words on a deployment, with a model that dies and comes back."""

import re
from collections.abc import Iterator
from typing import Any

import pytest
from aiohttp import ClientSession

from infra.broker import LocalBroker
from infra.ports import any_free
from tests.harness.commands import vokter
from tests.harness.hooks import Hooks
from tests.harness.pages import Pages
from tests.harness.processes import ON_THE_WAY, Deployment, environment
from tests.harness.rest import Rest, client
from tests.harness.waiting import eventually, until
from tests.servers.model import KEY, NAME, ModelServer, serving_model

PORT = any_free()


@pytest.fixture(scope="module")
def deployment(
    broker: LocalBroker, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[Deployment]:
    with Deployment(
        broker.bootstrap,
        tmp_path_factory.mktemp("judge"),
        model_url=f"http://127.0.0.1:{PORT}/v1",
        model=NAME,
        model_key=KEY,
    ) as deployment:
        deployment.start(*ON_THE_WAY, "api")
        yield deployment


class Watched:
    """A page with subscriptions: one without a rule, one with, and one that may wait as well."""

    def __init__(self, rest: Rest, pages: Pages, hooks: Hooks) -> None:
        self._rest = rest
        self.page = pages.add(_text("Beginning."))
        self.plain, self.judged, self.held = (hooks.add() for _ in range(3))

    async def begin(self) -> None:
        rule = "only what is about a 'lamp'"
        await self._rest.subscribe(self.page.url, self.plain.url, "*")
        await self._rest.subscribe(self.page.url, self.judged.url, "*", rule=rule, summary=True)
        await self._rest.subscribe(self.page.url, self.held.url, "*", rule=rule, holdUnjudged=3600)
        await self.page.stored()

    async def change(self, sentence: str) -> None:
        """Change the page, and wait for who has no rule: the model holds up nobody."""
        before = len(self.plain.posts)
        self.page.text = _text(sentence)
        await until(lambda: len(self.plain.posts) > before, "it is notified without a rule")


def _text(sentence: str) -> str:
    return f"<p>Zeus sings.<p>{sentence}"


def _new(news: dict[str, Any]) -> str:
    """Return the new sentence of a notification."""
    last = news["diffs"][-1]
    found: str = last.get("after") or last["text"]
    return found


async def _suppressed(rest: Rest, count: int) -> list[dict[str, Any]]:
    async def found() -> list[dict[str, Any]] | None:
        items: list[dict[str, Any]] = (await rest.get("/suppressed")).body["suppressed"]
        return items if len(items) == count else None

    return await eventually(found, f"{count} are suppressed")


async def test_each_notification_of_a_rule_is_delivered_or_listed_though_the_model_dies(
    deployment: Deployment, pages: Pages, hooks: Hooks
) -> None:
    model = ModelServer()
    async with client(deployment.settings.port) as rest:
        await rest.ready()
        it = Watched(rest, pages, hooks)
        await it.begin()
        async with serving_model(model, PORT):
            await it.change("A lamp is here.")
            await until(lambda: len(it.held.posts) == 1, "it passes")
            await it.change("A sofa is here.")
            suppressed = await _suppressed(rest, 2)
            model.fault = "broken"
            await it.change("A lamp is back.")
            await until(lambda: len(it.judged.posts) == 2, "it is not judged")
        await it.change("A sofa is back.")  # the model is away
        await until(lambda: len(it.judged.posts) == 3, "it is not judged")
        deployment["match"].kill()  # with judge
        deployment.start("match")
        model.fault = ""
        async with serving_model(model, PORT):
            await until(lambda: len(it.held.posts) == 2, "it was held")
            suppressed = await _suppressed(rest, 3)

            assert [post.body.get("verdict") for post in it.plain.posts] == [None] * 4
            assert [post.body["verdict"] for post in it.judged.posts] == [
                "pass",
                "not judged: the model answered with HTTP 500",
                it.judged.posts[2].body["verdict"],
            ]
            assert it.judged.posts[2].body["verdict"].startswith("not judged: the model ")
            assert it.judged.posts[0].body["summary"] == "2 edits"
            assert [post.body["verdict"] for post in it.held.posts] == ["pass"] * 2
            seen = [_new(post.body) for post in it.held.posts]
            assert seen == ["A lamp is here.", "A lamp is back."], "their order is kept"
            sofas = list(map(_new, suppressed))
            assert sofas == ["A sofa is back.", "A sofa is here.", "A sofa is here."]
            listed = await rest.get("/notifications", limit="100")
            ids = {each["id"] for each in listed.body["notifications"]}
            assert not ids & {each["id"] for each in suppressed}

            shown = await vokter(
                environment(deployment.settings), deployment.settings.data_dir, "suppressed"
            )
            assert shown.out.count("The words say so.") == 3
            again = suppressed[0]["id"]
            answer = await rest.call(f"/suppressed/{again}/send", {})
            assert answer.status == 200
            await until(lambda: len(it.held.posts) == 3, "it is sent after all")
            assert it.held.posts[2].id == again
            assert it.held.posts[2].body["verdict"] == "suppressed, and sent after all"
            page = f"http://127.0.0.1:{deployment.settings.port}/suppressed"
            async with ClientSession() as http, http.get(page) as response:
                used = re.search(r"questions (\d+) of 1,000", await response.text())
            assert used, "the page says what was used today"
            assert int(used[1]) >= 4
            assert KEY not in "".join(log.read_text("utf-8") for log in deployment.logs())
        await rest.tidy()
