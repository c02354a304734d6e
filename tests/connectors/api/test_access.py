"""Access to the API, on a real HTTP server."""

from collections.abc import AsyncIterator
from pathlib import Path

import pytest
from aiohttp import ClientSession, web
from aiohttp.test_utils import TestServer

from connectors.access.callers import caller
from connectors.access.keys import ApiKeys, new_key, save_keys
from connectors.access.loopback import is_loopback
from connectors.access.rates import CallRates
from connectors.access.roles import Role
from connectors.access.routes import GuardedRoute, add_guarded_routes
from connectors.api.admission import access_middleware


class Api:
    """A server that answers with the caller's manager, and a clock that stands still."""

    def __init__(self, keys: Path, http: ClientSession) -> None:
        self.keys = keys
        self.now = 0.0
        self.http = http
        self.base = ""

    def add(self, manager: str, per_minute: int | None = None) -> str:
        secret, key = new_key(manager, None, per_minute)
        save_keys(self.keys, [key])
        return secret

    async def get(self, path: str = "/", **headers: str) -> tuple[int, dict[str, str], str]:
        sent = {name.replace("_", "-"): value for name, value in headers.items()}
        async with self.http.get(self.base + path, headers=sent) as response:
            return response.status, await response.json(), response.headers.get("Retry-After", "")


@pytest.fixture
async def api(tmp_path: Path) -> AsyncIterator[Api]:
    async def who(request: web.Request) -> web.Response:
        return web.json_response({"manager": caller(request).manager})

    async def well(_: web.Request) -> web.Response:
        return web.json_response({"status": "ok"})

    async with ClientSession() as http:
        api = Api(tmp_path / "keys.json", http)
        guard = access_middleware(ApiKeys(api.keys), CallRates(lambda: api.now))
        app = web.Application(middlewares=[guard])
        for_all = GuardedRoute(None, web.get("/health", well))
        add_guarded_routes(app, [GuardedRoute(Role.READ, web.get("/", who)), for_all])
        async with TestServer(app) as server:
            api.base = f"http://127.0.0.1:{server.port}"
            yield api


async def test_without_keys_everybody_on_this_machine_is_the_default_manager(api: Api) -> None:
    assert (await api.get())[:2] == (200, {"manager": "default"})


@pytest.mark.parametrize("headers", [
    {"Origin": "https://evil.example"}, {"Origin": "null"}, {"Origin": "http://127.0.0.1:1"},
    {"Host": "evil.example"}, {"Host": "evil.example:9000"}, {"Host": "192.168.1.1"},
    {"X-Forwarded-For": "192.0.2.1"}, {"forwarded": "for=192.0.2.1"}, {"X-Real-IP": "192.0.2.1"},
])  # fmt: skip
async def test_without_keys_a_foreign_web_page_cannot_call(
    api: Api, headers: dict[str, str]
) -> None:
    status, body, _ = await api.get(**headers)
    assert (status, body["code"]) == (401, "8")


async def test_without_keys_our_own_page_can_call(api: Api) -> None:
    assert (await api.get(Origin=api.base))[0] == 200


async def test_with_keys_a_call_is_made_for_the_manager_of_its_key(api: Api) -> None:
    secret = api.add("news-desk")
    assert await api.get(Authorization=f"Bearer {secret}") == (200, {"manager": "news-desk"}, "")
    assert (await api.get(Authorization=f"bearer  {secret} "))[0] == 200


@pytest.mark.parametrize(
    "authorization", ["", "Bearer", "Bearer ", "Bearer wrong", "Basic {}", "{}"]
)
async def test_with_keys_nobody_calls_without_one(api: Api, authorization: str) -> None:
    secret = api.add("news-desk")
    status, body, _ = await api.get(Authorization=authorization.format(secret))
    assert (status, body["code"]) == (401, "8")
    assert secret not in str(body)


async def test_health_needs_no_key(api: Api) -> None:
    api.add("news-desk")
    assert (await api.get("/health"))[0] == 200


async def test_the_requests_of_a_minute_may_come_at_once_and_later_ones_are_spread_evenly(
    api: Api,
) -> None:
    bearer = f"Bearer {api.add('news-desk', per_minute=6)}"
    statuses = [(await api.get(Authorization=bearer))[0] for _ in range(7)]
    assert statuses == [200] * 6 + [429]
    status, body, wait = await api.get(Authorization=bearer)
    assert (status, body["code"], wait) == (429, "10", "11")
    api.now += 10
    assert (await api.get(Authorization=bearer))[0] == 200
    assert (await api.get(Authorization=bearer))[0] == 429


@pytest.mark.parametrize(("host", "is_ours"), [
    ("127.0.0.1", True), ("127.8.9.1", True), ("::1", True), ("[::1]", True), ("localhost", True),
    ("LOCALHOST.", True), ("::", False), ("10.0.0.1", False), ("localhost.example", False),
])  # fmt: skip
def test_only_a_loopback_address_counts_as_this_machine(host: str, is_ours: bool) -> None:
    assert is_loopback(host) == is_ours


@pytest.mark.parametrize(("site", "mode", "status"), [
    ("cross-site", "no-cors", 401), ("same-site", "no-cors", 401), ("cross-site", "cors", 401),
    ("cross-site", "navigate", 200), ("same-origin", "cors", 200), ("none", "navigate", 200),
])  # fmt: skip
async def test_without_keys_another_web_page_cannot_learn_by_an_image_what_is_there(
    api: Api, site: str, mode: str, status: int
) -> None:
    headers = {"Sec_Fetch_Site": site, "Sec_Fetch_Mode": mode}
    assert (await api.get(**headers))[0] == status


async def test_with_keys_the_key_decides_whatever_page_asks(api: Api) -> None:
    bearer = f"Bearer {api.add('news-desk')}"
    headers = {"Sec_Fetch_Site": "cross-site", "Sec_Fetch_Mode": "cors"}
    assert (await api.get(Authorization=bearer, **headers))[0] == 200
