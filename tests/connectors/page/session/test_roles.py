"""Which role each route of the API and of the page needs, and what others get there."""

import re
from collections.abc import AsyncIterator
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any
from unittest.mock import AsyncMock, Mock

import pytest
import pytest_asyncio
from aiohttp import ClientSession, web
from aiohttp.test_utils import TestServer
from yarl import URL

from connectors.access.keys import ApiKeys, load_keys, new_key, save_keys
from connectors.access.rates import CallRates
from connectors.access.roles import Role
from connectors.access.routes import GuardedRoute, add_guarded_routes
from connectors.api.admission import access_middleware
from connectors.api.http_errors import http_errors
from connectors.api.server import by_path, routes
from connectors.page.ports import PageAccess
from connectors.page.session.sessions import COOKIE, Sessions
from connectors.page.site import PageSite, page_site
from connectors.serving import BASE
from connectors.serving.sending import SENDER, Sender
from tests.connectors.page.session.test_guard import signed_in
from tests.connectors.page.test_accessibility import HOOK, filled
from tests.fakes.subscriptions import subscribed
from tests.harness.page import ServedPage

SIGNING_KEY = b"k" * 32
NOBODY = "nobody"
CALLERS = (NOBODY, *Role)
EVERYBODY = (
    f"GET {BASE}/health",
    f"GET {BASE}/openapi.json",
    "GET /sign-in",
    "POST /sign-in",
    "POST /language",
    "GET /sign-in/team",
    "GET /sign-in/return",
    "GET /static/{name}",
    "GET /share",
    "GET /feed/{token}",
    "GET /link/{token}",
    "POST /link/{token}",
)
NEEDED = {
    Role.READ: (
        *(
            f"GET {BASE}/{path}"
            for path in (
                "subscriptions", "subscriptions/{id}", "subscriptions/{id}/pages", "changes",
                "documents", "snapshots",
                "snapshot", "numbers", "numbers/metrics", "picture", "words",
                "occurrences", "differences", "notifications",
                "deliveries", "suppressed", "feed", "search", "events", "credentials",
                "credentials/{name}",
                "evidence/{id}", "evidence-key", "key",
            )
        ),
        f"POST {BASE}/backtest",
        f"POST {BASE}/mcp",
        "GET /",
        *(
            f"GET /watch/{{id}}{path}"
            for path in ("", "/change/{change}", "/compare", "/pages", "/picture")
        ),
        "GET /notification/{id}",
        "GET /notification/{id}/evidence",
        "GET /news",
        "GET /news/live",
        "GET /search",
        "GET /feeds",
        "GET /deliveries",
        "GET /suppressed",
        "POST /sign-out",
    ),
    Role.WRITE: (
        *(
            f"POST {BASE}/{path}"
            for path in (
                "subscribe", "cancel", "rotate", "pause", "resume", "rename", "test", "check",
                "backfill", "bulk", "try", "suppressed/{id}/send",
            )
        ),
        f"PUT {BASE}/credentials/{{name}}",
        f"DELETE {BASE}/credentials/{{name}}",
        "GET /add",
        "GET /add/shortcuts",
        "POST /add",
        "POST /add/backtest",
        "GET /add/pages",
        "POST /add/pages",
        "POST /test",
        "GET /channels",
        *(f"POST /channels{path}" for path in ("", "/test", "/remove")),
        "POST /feeds",
        "POST /feeds/remove",
        "POST /deliveries/redeliver",
        "POST /deliveries/rotate",
        "POST /suppressed",
        *(f"POST /watch/{{id}}/{action}" for action in ("pause", "resume", "test")),
        "POST /watches",
        *(f"{method} /watch/{{id}}/edit" for method in ("GET", "POST")),
        "GET /watch/{id}/duplicate",
        *(f"POST /watch/{{id}}/{action}" for action in ("mute", "unmute")),
    ),
    Role.ADMIN: ("GET /pipeline", "GET /dead-letters", "POST /dead-letters/replay"),
}  # fmt: skip


@dataclass
class Site:
    """All routes, each with a handler that does nothing, and a caller of each role."""

    base: str
    routes: list[str]
    secrets: dict[str, str]
    sessions: dict[str, str]
    tokens: dict[str, str]

    async def status(self, http: ClientSession, who: str, line: str) -> int:
        """Call a route, and check that a refusal says why."""
        method, path = re.sub(r"{\w+}", "x", line).split()
        headers, form = {"Origin": self.base}, {"token": self.tokens[who]}
        if path.startswith(BASE) and who != NOBODY:
            headers["Authorization"] = f"Bearer {self.secrets[who]}"
        elif who != NOBODY:
            headers["Cookie"] = f"{COOKIE}={self.sessions[who]}"
        async with http.request(
            method, self.base + path, headers=headers, data=form, allow_redirects=False
        ) as response:
            text = await response.text()
        if response.status == 403:
            assert "needs a key with the role" in text
            assert ('"code": "15"' in text) == path.startswith(BASE)
            assert ("<h1>" in text) != path.startswith(BASE)
        return response.status


def page_of(keys: ApiKeys) -> PageSite:
    ports: Any = Mock(kept_days=7)
    rates = CallRates(lambda: 0.0)
    team: Any = Mock(policy="", is_secure=False)
    access = PageAccess(keys, rates, SIGNING_KEY, lambda: 0.0, lambda: 0.0, team=team)
    return page_site(ports, access)


def every_route(page: PageSite) -> list[GuardedRoute]:
    anything: Any = Mock()
    return [*routes(anything), *page.routes]


@pytest_asyncio.fixture(loop_scope="session")
async def site(tmp_path: Path) -> AsyncIterator[Site]:
    made = {role: new_key("news-desk", None, None, role) for role in Role}
    save_keys(tmp_path / "keys.json", [key for _, key in made.values()])
    keys = ApiKeys(tmp_path / "keys.json")
    page = page_of(keys)
    guard = by_path(access_middleware(keys, CallRates(lambda: 0.0)), page.middleware)
    app = web.Application(middlewares=[http_errors, guard])
    app[SENDER] = sender = Sender()
    every = every_route(page)
    add_guarded_routes(app, (replace(each, route=_idle(each.route)) for each in every))
    sessions = Sessions(SIGNING_KEY, keys, lambda: 0.0)
    cookies = {role.value: sessions.begin(key) for role, (_, key) in made.items()}
    async with TestServer(app) as server:
        yield Site(
            f"http://127.0.0.1:{server.port}",
            [f"{each.route.method} {each.route.path}" for each in every],
            {role.value: secret for role, (secret, _) in made.items()},
            cookies,
            {who: sessions.form_token(cookies.get(who, "")) for who in CALLERS},
        )
    sender.close()


def _idle(route: web.RouteDef) -> web.RouteDef:
    async def answer(_: web.Request) -> web.Response:
        return web.Response(headers={"Reached": f"{route.method} {route.path}"})

    return web.RouteDef(route.method, route.path, answer, route.kwargs)


def test_each_route_states_its_role_and_the_table_here_has_it(tmp_path: Path) -> None:
    every = every_route(page_of(ApiKeys(tmp_path / "keys.json")))
    stated = {f"{each.route.method} {each.route.path}": each.role for each in every}
    table: dict[str, Role | None] = dict.fromkeys(EVERYBODY)
    table |= {line: role for role, lines in NEEDED.items() for line in lines}
    assert stated == table
    assert len(every) == len(table)


async def test_a_route_that_states_no_role_is_open_to_nobody(tmp_path: Path) -> None:
    secret, key = new_key("news-desk", None, None, Role.ADMIN)
    save_keys(tmp_path / "keys.json", [key])
    guard = access_middleware(ApiKeys(tmp_path / "keys.json"), CallRates(lambda: 0.0))
    app = web.Application(middlewares=[guard])
    add_guarded_routes(app, [])
    handler = AsyncMock()
    app.router.add_get("/forgotten", handler)
    async with TestServer(app) as server, ClientSession() as http:
        headers = {"Authorization": f"Bearer {secret}"}
        async with http.get(server.make_url("/forgotten"), headers=headers) as response:
            assert response.status == 500
    handler.assert_not_awaited()


@pytest.mark.parametrize("who", CALLERS)
async def test_a_role_reaches_what_is_for_it_and_nothing_else(site: Site, who: str) -> None:
    found, expected = {}, dict.fromkeys(EVERYBODY, 200)
    for needed, lines in NEEDED.items():
        expected |= {line: _expected(who, needed, line) for line in lines}
    async with ClientSession() as http:
        for line in site.routes:
            found[line] = await site.status(http, who, line)
    assert found == expected


def _expected(who: str, needed: Role, line: str) -> int:
    if who != NOBODY:
        return 200 if Role(who).allows(needed) else 403
    return 303 if BASE not in line and line.startswith("GET") else 401


SPELLINGS = (
    "/pipeline", "//pipeline", "/./pipeline", "/%70ipeline", "/x/../pipeline", "/pipeline/",
    "/..;/pipeline", "/static/..%2fpipeline", "/static/%2e%2e/pipeline", "/sign-in/../pipeline",
    "/vokter/v1/health/../../../pipeline", "/vokter/v1/..%2f..%2fpipeline", "/PIPELINE",
    "/pipeline;a=b", "/pipeline%00", "/pipeline?/static/", "/%2e/pipeline", "/vokter/v1/../../add",
    "/link/../pipeline", "/link/%2e%2e/add", "/link/..%2fadd", "/feed/../add",
    "/add", "//add", "/%61dd", "/vokter/v1/subscribe", "/vokter//v1/subscribe",
    "/vokter/v1/health/../subscribe", "/vokter/v1/openapi.json/..;/subscribe",
)  # fmt: skip
TRICKS = {"X-HTTP-Method-Override": "GET", "X-Original-URL": "/", "X-Rewrite-URL": "/sign-in"}


async def test_no_spelling_of_a_path_leads_past_its_role(site: Site) -> None:
    who = Role.READ
    headers = {"Cookie": f"{COOKIE}={site.sessions[who]}", "Origin": site.base, **TRICKS}
    headers["Authorization"] = f"Bearer {site.secrets[who]}"
    beyond = {*NEEDED[Role.WRITE], *NEEDED[Role.ADMIN]}
    async with ClientSession() as http:
        for path in SPELLINGS:
            for method in ("GET", "HEAD", "POST", "OPTIONS", "TRACE", "PURGE"):
                url, form = URL(site.base + path, encoded=True), {"token": site.tokens[who]}
                asked = http.request(method, url, headers=headers, data=form, allow_redirects=False)
                async with asked as response:
                    assert response.headers.get("Reached") not in beyond, (method, path)
                    assert response.status < 500


async def test_nobody_reaches_anything_without_a_key_by_a_spelling(site: Site) -> None:
    headers = {"Origin": site.base, **TRICKS}
    async with ClientSession() as http:
        for path in SPELLINGS:
            url = URL(site.base + path, encoded=True)
            async with http.get(url, headers=headers, allow_redirects=False) as response:
                assert response.headers.get("Reached") in {None, *EVERYBODY}, path


@pytest.mark.parametrize(("role", "hidden", "shown"), [
    (Role.READ, ["/add", "/pipeline", "/watches", "/test"], ["/news", "/sign-out"]),
    (Role.WRITE, ["/pipeline"], ["/add", "/watches", "/test"]),
    (Role.ADMIN, [], ["/add", "/pipeline", "/watches", "/test"]),
])  # fmt: skip
async def test_a_page_shows_only_what_the_role_may_do(
    served: ServedPage, http: ClientSession, role: Role, hidden: list[str], shown: list[str]
) -> None:
    secret = served.add_key("news-desk", role=role)
    await signed_in(http, served, secret)
    text = ""
    for path in ("/", "/news", "/deliveries"):
        async with http.get(served.base + path) as response:
            text += await response.text()
    fact: Any = subscribed(manager="news-desk")
    await served.store.read_side.record([fact])
    async with http.get(f"{served.base}/watch/{fact.subscription.id}") as response:
        text += await response.text()
    for target in hidden:
        assert f'{target}"' not in text
    for target in shown:
        assert f'{target}"' in text


LINK = re.compile(r'<a [^>]*href="(/[^"#?]*)')
FORM = re.compile(r"<form [^>]*>")
ATTRIBUTE = re.compile(r'(method|action)="([^"?#]*)')


def asked_for(html: str) -> set[str]:
    """Return what the links and forms of a page lead to, as methods and paths."""
    found = {f"GET {path}" for path in LINK.findall(html)}
    for form in FORM.findall(html):
        has = dict(ATTRIBUTE.findall(form))
        if has.get("action", "").startswith("/"):
            found.add(f"{has.get('method', 'get').upper()} {has['action']}")
    return found


def role_of(asked: str) -> Role | None:
    for role, lines in NEEDED.items():
        if any(re.fullmatch(re.sub(r"{\w+}", "[^/]+", line), asked) for line in lines):
            return role
    assert asked in EVERYBODY, asked
    return None


@pytest.mark.parametrize("role", Role)
async def test_no_link_or_button_of_a_page_leads_to_a_refusal(
    served: ServedPage, http: ClientSession, role: Role
) -> None:
    await filled(served)
    await signed_in(http, served, served.add_key("default", role=role))
    left, seen = ["/", "/?state=ended", f"/deliveries?client={HOOK}"], set[str]()
    while left:
        path = left.pop()
        async with http.get(served.base + path) as response:
            html = await response.text()
            assert response.status != 403, path
        for asked in asked_for(html) - seen:
            needed = role_of(asked)
            assert needed is None or role.allows(needed), f"{path} leads to {asked}"
            seen.add(asked)
            if asked.startswith("GET ") and asked not in {"GET /pipeline", "GET /dead-letters"}:
                left.append(asked.removeprefix("GET "))
    assert len(seen) > len(Role)


async def test_a_session_ends_when_the_role_of_its_key_changes(
    served: ServedPage, http: ClientSession
) -> None:
    secret = served.add_key("news-desk", role=Role.ADMIN)
    await signed_in(http, served, secret)
    assert (await http.get(f"{served.base}/pipeline", allow_redirects=False)).status == 200
    (key,) = load_keys(served.keys)
    save_keys(served.keys, [replace(key, role=Role.READ)])
    assert (await http.get(served.base, allow_redirects=False)).status == 303
