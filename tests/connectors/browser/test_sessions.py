"""Pages in a browser that are asked for as a subscriber chose, and as somebody who is logged in."""

import json
from collections.abc import AsyncIterator
from pathlib import Path
from traceback import format_exception
from typing import Any
from uuid import uuid4

import pytest
import pytest_asyncio
from aiohttp import web

from connectors.browser.renderer import Renderer
from connectors.browser.steps import StepFailed
from connectors.credentials.authenticated_get import PrivateGet
from connectors.credentials.input_formats import parse_credentials
from connectors.credentials.login import Login
from connectors.credentials.vault import Vault
from connectors.http.egress import EgressGuard
from connectors.http.errors import FetchFailed
from connectors.stores.opening import open_store
from schemas.records.answers import PageQuery
from schemas.records.credentials import Credentials, SealedCredentials
from schemas.records.egress_policy import EgressPolicy
from schemas.records.page_requests import Header, PageRequest
from schemas.records.rendering import Rendering, Step, WaitFor
from streams.effects.browser import Rendered, VisitRules
from streams.effects.clock import now
from tests.harness.browser import renderer
from tests.harness.web import served

pytestmark = pytest.mark.asyncio(loop_scope="module")

NOW = 1_700_000_000.0
SHOWN = {"Authorization", "Cookie", "X-Key", "User-Agent", "Accept-Language", "X-Shop"}
DONE = Rendering(WaitFor(selector="#done"))
FORM = """<form method=post action=/login><input name=token type=hidden value={token}>
  <input id=user name=user><input id=password name=password type=password>
  <button id=go>Log in</button><input id=off disabled></form>"""
LOADS = """<p id=a>page</p><script>
const all = [fetch("/part"), fetch("/away?/part"), fetch("{other}/part", {{mode: "no-cors"}}),
  fetch("/away?{other}/open", {{mode: "no-cors"}})];
Promise.allSettled(all).then(() => {{ a.id = "done" }})</script>"""
STORED = """<p id=a></p><script>a.textContent = JSON.stringify([document.cookie,
  {...localStorage}, navigator.language, navigator.userAgent]);
  localStorage.setItem("token", localStorage.getItem("token") + "+"); a.id = "done"</script>"""

TYPING = """<input id=a><script>
a.oninput = () => fetch("/typed/" + a.value).then(() => { a.id = "done" })</script>"""


class Sites:
    """Two sites that note what they are sent."""

    def __init__(self) -> None:
        self.first = self.other = self.framed = ""
        self.visits = 0
        self.tokens: list[str] = []
        self.sessions: set[str] = set()
        self.heard: list[tuple[str, str, dict[str, str]]] = []

    def sent(self, site: str, path: str) -> list[dict[str, str]]:
        """Return what was sent with each request for a path."""
        return [headers for at, asked, headers in self.heard if (at, asked) == (site, path)]

    def all_sent_to(self, site: str) -> list[dict[str, str]]:
        return [headers for at, _, headers in self.heard if at == site]

    async def answer(self, request: web.Request) -> web.Response:
        site = f"http://{request.host}"
        shown = {name: value for name, value in request.headers.items() if name in SHOWN}
        self.heard.append((site, request.path, shown))
        if request.path == "/away":
            return web.Response(status=302, headers={"Location": request.query_string})
        text = self._pages().get(request.path, "ok")
        page = web.Response(text=text, content_type="text/html")
        page.headers["Access-Control-Allow-Origin"] = "*"
        if request.path == "/login":
            return await self._login(request)
        if request.path == "/members" and request.cookies.get("session") not in self.sessions:
            return web.Response(status=302, headers={"Location": "/login"})
        if request.path == "/session":
            if request.cookies.get("s") != f"s{self.visits}":
                return web.Response(status=403)
            self.visits += 1
            page.set_cookie("s", f"s{self.visits}")
        if request.path == "/renewed":
            page.set_cookie("s", "2", httponly=True)
        return page

    def _pages(self) -> dict[str, str]:
        loads = LOADS.format(other=self.other)
        frame = f"<iframe src={self.framed}/typing></iframe>"
        plain = {"/field": "<input id=user>", "/framed": frame, "/typing": TYPING}
        return {"/loads": loads, "/stored": STORED, **plain}

    async def _login(self, request: web.Request) -> web.Response:
        """Show a form whose token is good once, or take what was written into one."""
        if request.method == "GET":
            self.tokens.append(uuid4().hex)
            text = FORM.format(token=self.tokens[-1])
            return web.Response(text=text, content_type="text/html")
        form = await request.post()
        self.tokens.remove(str(form["token"]))
        if (form["user"], form["password"]) != ("ann", "hush-hush"):
            return web.Response(status=403, text="wrong")
        self.sessions.add(uuid4().hex)
        answer = web.Response(status=303, headers={"Location": "/members"})
        answer.set_cookie("session", max(self.sessions), httponly=True)
        return answer


@pytest_asyncio.fixture(loop_scope="module", scope="module")
async def browser() -> AsyncIterator[Renderer]:
    async with renderer() as rendering:
        yield rendering


@pytest_asyncio.fixture(loop_scope="module")
async def sites() -> AsyncIterator[Sites]:
    sites = Sites()
    async with served(sites.answer, ports=2) as (sites.first, sites.other):
        yield sites


def login(url: str, **given: Any) -> Login:
    row = SealedCredentials("desk", "shop", "", "", 0)
    return Login(row, parse_credentials(given), url, lambda: NOW)


def cookies(*lines: str) -> dict[str, str]:
    return {"cookies": "\n".join(line.replace(" ", "\t") for line in lines)}


def seen(body: bytes) -> Any:
    text = body.decode().partition('<p id="done">')[2].partition("</p>")[0]
    return json.loads(text.replace("&amp;", "&"))


async def test_headers_agent_and_language_are_those_that_were_chosen(
    sites: Sites, browser: Renderer
) -> None:
    asked = PageRequest(
        headers=(Header("x-shop", "5"),),
        user_agent="Mine/1",
        language="de-AT, en;q=0.5",
        rendering=DONE,
    )
    page = await browser.render(PageQuery(f"{sites.first}/stored", request=asked))
    assert sites.sent(sites.first, "/stored") == [
        {"X-Shop": "5", "User-Agent": "Mine/1", "Accept-Language": "de-AT, en;q=0.5"}
    ]
    assert seen(page.body)[2:] == ["de-AT", "Mine/1"]


async def test_chosen_headers_are_for_documents_of_the_first_site_alone(
    sites: Sites, browser: Renderer
) -> None:
    asked = PageRequest(headers=(Header("x-shop", "5"),))
    await browser.render(PageQuery(f"{sites.first}/away?{sites.other}/loads", request=asked))
    assert sites.sent(sites.first, "/away")[0]["X-Shop"] == "5"
    assert sites.sent(sites.other, "/loads")
    assert not [each for each in sites.all_sent_to(sites.other) if "X-Shop" in each]
    await browser.render(PageQuery(f"{sites.first}/loads", request=asked))
    assert "X-Shop" not in sites.sent(sites.first, "/part")[0]


async def test_a_login_goes_with_all_that_its_site_loads_and_to_no_other_site(
    sites: Sites, browser: Renderer
) -> None:
    lines = ["Authorization: Bearer hush", "X-Key: k1"]
    url = f"{sites.first}/away?{sites.first}/loads"
    secret = login(url, headers=lines, **{"for": sites.first})
    await browser.render(PageQuery(url, request=PageRequest(rendering=DONE)), secret)
    for path in ("/away", "/loads", "/part"):
        found = sites.sent(sites.first, path)
        assert {each.get("Authorization") for each in found} == {"Bearer hush"}
        assert {each.get("X-Key") for each in found} == {"k1"}
    assert len(sites.sent(sites.first, "/part")) == 2
    assert sites.sent(sites.other, "/open"), "the redirect was followed"
    assert not [
        each for each in sites.all_sent_to(sites.other) if {"Authorization", "X-Key"} & set(each)
    ]


async def test_another_site_cannot_use_a_login_by_asking_for_pages_of_its_site(
    sites: Sites, browser: Renderer
) -> None:
    url = f"{sites.other}/loads"
    header = {"for": sites.first, "headers": ["X-Key: hush"]}
    sites.other, own = sites.first, sites.other
    await browser.render(PageQuery(url, request=PageRequest(rendering=DONE)), login(url, **header))
    assert sites.sent(own, "/loads")
    assert sites.sent(sites.first, "/part")
    assert not [each for each in sites.all_sent_to(sites.first) if "X-Key" in each]


async def test_cookies_are_sent_to_their_own_domain_and_not_to_its_other_ports(
    sites: Sites, browser: Renderer
) -> None:
    given = cookies("127.0.0.1 FALSE / FALSE 0 s 1", "other.test FALSE / FALSE 0 x 1")
    url = f"{sites.first}/loads"
    await browser.render(PageQuery(url, request=PageRequest(rendering=DONE)), login(url, **given))
    assert {each["Cookie"] for each in sites.all_sent_to(sites.first)} == {"s=1"}
    assert not sites.all_sent_to(sites.other)
    url = f"{sites.first}/away?{sites.other}/part"
    with pytest.raises(FetchFailed, match="the credentials are not for its port"):
        await browser.render(PageQuery(url), login(url, **given))
    assert not sites.all_sent_to(sites.other)


async def test_cookies_that_the_site_renews_are_brought_back(
    sites: Sites, browser: Renderer
) -> None:
    url = f"{sites.first}/renewed"
    given = cookies("127.0.0.1 FALSE / FALSE 0 s 1", "other.test FALSE / TRUE 0 x 1")
    session = login(url, **given)
    stored = session.credentials
    await browser.render(PageQuery(f"{sites.first}/part"), session)
    assert not session.was_renewed
    await browser.render(PageQuery(url), session)
    assert session.was_renewed
    after = {each.name: (each.value, each.http_only) for each in session.renew(stored).cookies}
    assert after == {"s": ("2", True), "x": ("1", False)}


async def test_a_local_storage_is_there_and_brought_back_and_secret_cookies_are_not_shown(
    sites: Sites, browser: Renderer
) -> None:
    url = f"{sites.first}/stored"
    shared: dict[str, Any] = {"domain": "127.0.0.1", "path": "/"}
    state = {
        "cookies": [
            {"name": "a", "value": "1", **shared},
            {"name": "b", "value": "2", "httpOnly": True, **shared},
        ],
        "origins": [
            {"origin": sites.first, "localStorage": [{"name": "token", "value": "t1"}]},
            {"origin": sites.other, "localStorage": [{"name": "token", "value": "u"}]},
        ],
    }
    session = login(url, storage=state)
    stored: Credentials = session.credentials
    page = await browser.render(PageQuery(url, request=PageRequest(rendering=DONE)), session)
    assert seen(page.body)[:2] == ["a=1", {"token": "t1"}]
    assert not sites.all_sent_to(sites.other)
    local = {(each.origin, each.name): each.value for each in session.renew(stored).local}
    assert local == {(sites.first, "token"): "t1+", (sites.other, "token"): "u"}


async def test_a_session_that_the_site_renews_at_each_visit_lives_on(
    sites: Sites, browser: Renderer, tmp_path: Path
) -> None:
    store = await open_store(f"sqlite:{tmp_path / 'store.db'}")
    vault = Vault(store.credentials, lambda: b"k" * 32, now, lambda: now() / 1000)
    await vault.put("desk", "shop", parse_credentials(cookies("127.0.0.1 FALSE / FALSE 0 s s0")))
    rules = VisitRules(EgressGuard(EgressPolicy(["127.0.0.1/32"])), None)
    source = PrivateGet(Rendered(browser, {"": rules}, tmp_path), vault)
    asked = PageRequest(credentials="shop", owner="desk", rendering=Rendering())
    for _ in range(3):
        answer = await source.get(PageQuery(f"{sites.first}/session", request=asked))
        assert answer.status == 200
    await store.close()


USER, PASSWORD = "user", "password"
"""Names of secrets."""
INTO_FRAME = "internal:control=enter-frame"
"""How the browser's library writes that a selector goes on in a frame."""
FILLED = (
    Step(fill="#user", secret=USER),
    Step(fill="#password", secret=PASSWORD),
    Step(click="#go"),
)
FRAMED = (
    Step(fill=f"iframe >> {INTO_FRAME} >> #a", secret=PASSWORD),
    Step(wait=WaitFor(selector=f"iframe >> {INTO_FRAME} >> #done")),
)
SECRETS = {USER: "ann", PASSWORD: "hush-hush"}


def elsewhere(sites: Sites) -> str:
    """Return the other site by another name: its port alone is closed to credentials."""
    return sites.other.replace("127.0.0.1", "localhost")


def by_steps(*steps: Step) -> PageRequest:
    return PageRequest(rendering=Rendering(steps=steps))


async def test_a_form_with_a_token_is_filled_in_with_secrets_at_each_visit(
    sites: Sites, browser: Renderer
) -> None:
    url = f"{sites.first}/members"
    for _ in range(2):
        session = login(url, secrets=SECRETS, **{"for": sites.first})
        page = await browser.render(PageQuery(url, request=by_steps(*FILLED)), session)
        assert (page.status, page.url) == (200, url)
        assert not session.was_renewed
    assert len(sites.sessions) == 2
    assert sites.tokens == []


async def test_a_secret_is_written_into_pages_of_its_site_only_and_is_in_no_failure(
    sites: Sites, browser: Renderer, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("connectors.browser.steps.STEP_TIMEOUT_S", 2.0)
    away = f"{sites.first}/away?{elsewhere(sites)}/login"
    steps = (*FILLED[:2], Step(fill="#off", secret=PASSWORD))
    for url, given, reason in (
        (away, SECRETS, 'step 1 (fill "#user"): credentials shop are for http'),
        (f"{sites.first}/login", {"user": "a"}, "credentials shop have no secret password"),
        (f"{sites.first}/login", SECRETS, 'step 3 (fill "#off"): it is there, but hidden, covered'),
    ):
        session = login(url, secrets=given, **{"for": sites.first})
        with pytest.raises(StepFailed) as failed:
            await browser.render(PageQuery(url, request=by_steps(*steps)), session)
        assert reason in str(failed.value)
        assert "hush-hush" not in "".join(format_exception(failed.value))
        assert failed.value.screenshot


async def test_a_secret_is_written_into_no_frame_of_another_site(
    sites: Sites, browser: Renderer
) -> None:
    url = f"{sites.first}/framed"
    for framed in (sites.first, elsewhere(sites)):
        sites.framed = framed
        session = login(url, secrets=SECRETS, **{"for": sites.first})
        visit = browser.render(PageQuery(url, request=by_steps(*FRAMED)), session)
        if framed == sites.first:
            await visit
        else:
            with pytest.raises(StepFailed, match=f"and this page is of {framed}"):
                await visit
        assert bool(sites.sent(framed, "/typed/hush-hush")) == (framed == sites.first)


async def test_what_was_written_cannot_be_seen_in_the_picture_of_a_failure(
    sites: Sites, browser: Renderer, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("connectors.browser.steps.STEP_TIMEOUT_S", 2.0)
    url, pictures = f"{sites.first}/field", []
    asked = by_steps(FILLED[0], Step(click="#none"))
    for user in ("ann", "somebody"):
        session = login(url, secrets={"user": user}, **{"for": sites.first})
        with pytest.raises(StepFailed) as failed:
            await browser.render(PageQuery(url, request=asked), session)
        pictures.append(failed.value.screenshot)
    assert pictures[0] == pictures[1]


async def test_what_was_written_cannot_be_seen_in_a_picture_of_the_page(
    sites: Sites, browser: Renderer
) -> None:
    asked = PageRequest(rendering=Rendering(steps=(FILLED[0],), screenshot=True))
    url, pictures = f"{sites.first}/field", []
    for user in ("ann", "somebody"):
        session = login(url, secrets={"user": user}, **{"for": sites.first})
        pictures.append((await browser.render(PageQuery(url, request=asked), session)).picture)
    assert pictures[0] == pictures[1] is not None


async def test_a_proxy_that_is_not_named_is_a_failure(sites: Sites, browser: Renderer) -> None:
    with pytest.raises(FetchFailed, match="there is no proxy 'rome'; VOKTER_PROXIES names no"):
        await browser.render(PageQuery(sites.first + "/", request=PageRequest(proxy="rome")))
