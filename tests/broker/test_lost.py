"""What is watched is not on the page for a while: one "lost", one "found", nothing "removed"."""

from collections.abc import AsyncIterator, Iterator
from pathlib import Path

import pytest
from aiohttp import web

from infra.broker import LocalBroker
from tests.harness.commands import vokter
from tests.harness.hooks import Hook, Hooks
from tests.harness.pages import Pages
from tests.harness.processes import ON_THE_WAY, Deployment, environment
from tests.harness.rest import Rest, client
from tests.harness.waiting import until
from tests.harness.web import served

ASKS = {"notifyFailures": True}
NOTHING = "nothing on the page matches view.select"


@pytest.fixture(scope="module")
def deployment(
    broker: LocalBroker, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[Deployment]:
    """A deployment in which a second failure in a row ends a subscription."""
    folder = tmp_path_factory.mktemp("lost")
    with Deployment(broker.bootstrap, folder, max_failures=2) as deployment:
        deployment.start(*ON_THE_WAY, "api")
        yield deployment


@pytest.fixture
async def rest(deployment: Deployment) -> AsyncIterator[Rest]:
    async with client(deployment.settings.port) as rest:
        await rest.ready()
        yield rest
        await rest.tidy()


def statuses(hook: Hook) -> list[str]:
    return [body["status"] for body in hook.bodies]


def edits(hook: Hook) -> list[tuple[str, str]]:
    """The sentences before and after each edit that a client was notified of, once for each."""
    diffs = [diff for body in hook.bodies for diff in body["diffs"]]
    return sorted({(diff["before"], diff["after"]) for diff in diffs})


@pytest.mark.slow  # tests/agents/fetch/test_lost_views.py has the same
async def test_clients_are_notified_once_that_a_selection_is_lost_and_then_of_what_changed(
    deployment: Deployment, rest: Rest, pages: Pages, hooks: Hooks, tmp_path: Path
) -> None:
    page = pages.add("<h1>Shop</h1><p id=price>The bike costs 12 euros a month.")
    asks, other, late = hooks.add(), hooks.add(), hooks.add()
    view = {"select": [{"css": "#price"}]}
    await rest.subscribe(page.url, asks.url, "*", view=view, **ASKS)
    await rest.subscribe(page.url, other.url, "*", view=view)
    await page.stored()
    page.text = "<h1>Shop</h1><p>We are rebuilding our shop."
    (lost,) = await asks.notified()
    assert (lost["status"], lost["diffs"], lost["reason"]) == ("lost", [], NOTHING)
    shown = await rest.shows(lambda item: item["lostSince"] is not None, "since when it is lost")
    assert (shown["state"], shown["failures"], shown["missing"]) == ("active", 0, NOTHING)
    deployment.stop("fetch")
    deployment.start("fetch")
    await rest.subscribe(page.url, late.url, "*", view=view, **ASKS)
    # The third sees nothing of what was found before it asked.
    await rest.shows(
        lambda item: item["clientUrl"] == late.url and item["lostSince"] is not None,
        "that it is lost for who asked since",
    )
    printed = await vokter(environment(deployment.settings), tmp_path, "list", "--lost")
    assert (printed.out.count("lost      "), printed.out.count(f"ago: {NOTHING}")) == (3, 3)
    assert (statuses(asks), statuses(other), statuses(late)) == (["lost"], [], [])
    page.text = "<h1>Shop</h1><p id=price>The bike costs 13 euros a month."
    for hook, expected in ((asks, ["lost", "found", "ok"]), (late, ["ok"])):
        await hook.notified(len(expected))
        assert statuses(hook) == expected
    assert len(await other.notified()) == 1
    change = ("The bike costs 12 euros a month.", "The bike costs 13 euros a month.")
    assert [edits(hook) for hook in (asks, other, late)] == [[change]] * 3
    await rest.shows_in_history("changes", 3, documentUrl=page.url)
    history = [item["status"] for item in await rest.history("changes", documentUrl=page.url)]
    *last, first = history
    assert (sorted(last), first) == (["found", "ok"], "lost"), "two facts have one time"
    (item, *_) = await rest.listed(asks.url)
    assert (item["missing"], item["lostSince"]) == (None, None)


async def test_a_client_is_notified_once_of_its_ended_session_until_credentials_are_set_again(
    deployment: Deployment, rest: Rest, hooks: Hooks
) -> None:
    text, valid, asked = "<p>The bike costs 12 euros.", ["Bearer first"], [""]

    async def answer(request: web.Request) -> web.Response:
        if request.path == "/robots.txt":
            return web.Response(status=404)
        asked.append(request.path)
        if request.path == "/account/login":
            return web.Response(text="<form>Log in", content_type="text/html")
        if request.headers.get("Authorization") != valid[-1]:
            raise web.HTTPFound("/account/login?next=/news&token=hush")
        return web.Response(text=text, content_type="text/html")

    async with served(answer) as (base,):
        await put(rest, base, "Bearer first")
        asks, url = hooks.add(), f"{base}/news"
        view = {"credentials": "shop"}
        await rest.subscribe(url, asks.url, "*", view=view, **ASKS)
        await until(lambda: asked.count("/news") >= 2, "the first text is stored")
        valid.append("Bearer second")
        (lost,) = await asks.notified()
        assert (lost["status"], lost["diffs"]) == ("lost", [])
        place = f"redirected to {base}/account/login (vokter credentials set shop)"
        assert lost["reason"] == f"a login page instead of the page: {place}"
        seen = asked.count("/account/login")
        await until(lambda: asked.count("/account/login") >= seen + 4, "four more visits are made")
        (item,) = await rest.listed(asks.url)
        assert (item["state"], item["failures"], item["missing"]) == ("active", 0, lost["reason"])
        text = "<p>The bike costs 13 euros."
        await put(rest, base, "Bearer second")
        await asks.notified(3)
        assert statuses(asks) == ["lost", "found", "ok"]
        assert edits(asks) == [("The bike costs 12 euros.", "The bike costs 13 euros.")]


async def put(rest: Rest, base: str, secret: str) -> None:
    body = {"for": base, "header": f"Authorization: {secret}"}
    assert (await rest.put("/credentials/shop", body)).status == 200
