"""/credentials on a real HTTP server: each manager sees its own, and nobody a secret."""

from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import pytest
from aiohttp import ClientSession, web
from aiohttp.test_utils import TestServer

from connectors.access.keys import ApiKeys, new_key, save_keys
from connectors.access.rates import CallRates
from connectors.access.roles import Role
from connectors.access.routes import GuardedRoute, add_guarded_routes
from connectors.api.admission import access_middleware
from connectors.api.answers import answer_refusals
from connectors.api.credentials import CredentialsHandlers
from connectors.api.server import MAX_BODY
from connectors.credentials.errors import InvalidCredentials
from connectors.credentials.vault import MOST, Vault
from connectors.stores.opening import open_store
from schemas.records.credentials import Credentials

NOW = 1_700_000_000_000
BODY = {"for": "https://a.test/x", "header": "Authorization: Bearer hush"}


class Caller:
    """Calls the API with the key of a manager, and keeps all that it is answered."""

    def __init__(self, http: ClientSession, base: str, key: str) -> None:
        self._http = http
        self._base = base
        self._headers = {"Authorization": f"Bearer {key}"}
        self.heard = ""

    async def call(self, method: str, path: str = "", body: Any = None) -> tuple[int, Any]:
        url = f"{self._base}/credentials{path}"
        async with self._http.request(method, url, json=body, headers=self._headers) as found:
            self.heard += await found.text() + str(found.headers)
            return found.status, await found.json()


async def refuse_nonsense(_: str, given: Credentials) -> None:
    if given.origin == "nonsense":
        raise InvalidCredentials("channel: it is no service")
    if given.origin == "busy":
        raise BlockingIOError("100 messages of this manager wait already")


@pytest.fixture
async def callers(tmp_path: Path) -> AsyncIterator[tuple[Caller, Caller]]:
    store = await open_store(f"sqlite:{tmp_path / 'store.db'}")
    made = [new_key(manager, None, None) for manager in ("a", "b")]
    save_keys(tmp_path / "keys.json", [key for _, key in made])
    vault = Vault(store.credentials, lambda: b"k" * 32, lambda: NOW, lambda: 0.0)
    handlers = CredentialsHandlers(store.credentials, vault, refuse_nonsense)
    guard = access_middleware(ApiKeys(tmp_path / "keys.json"), CallRates(lambda: 0.0))
    app = web.Application(middlewares=[guard, answer_refusals], client_max_size=MAX_BODY)
    routes = [
        web.get("/credentials", handlers.all_of),
        web.put("/credentials/{name}", handlers.put),
        web.get("/credentials/{name}", handlers.get),
        web.delete("/credentials/{name}", handlers.remove),
    ]
    add_guarded_routes(app, (GuardedRoute(Role.WRITE, route) for route in routes))
    async with TestServer(app) as server, ClientSession() as http:
        base = str(server.make_url("")).rstrip("/")
        first, second = (Caller(http, base, secret) for secret, _ in made)
        yield first, second
    await store.close()


async def test_what_was_put_is_listed_for_its_manager_and_without_its_secret(
    callers: tuple[Caller, Caller],
) -> None:
    mine, others = callers
    shown = {
        "name": "news",
        "kind": "header",
        "for": "https://a.test",
        "set": "2023-11-14T22:13:20.000Z",
    }
    assert await mine.call("PUT", "/news", BODY) == (200, {"code": "0", "message": "", **shown})
    listed = {**shown, "lastUsed": None}
    assert await mine.call("GET") == (200, {"credentials": [listed]})
    assert await mine.call("GET", "/news") == (200, listed)
    assert await others.call("GET") == (200, {"credentials": []})
    assert (await others.call("GET", "/news"))[0] == 404
    assert (await others.call("DELETE", "/news"))[0] == 404
    assert (await mine.call("DELETE", "/news"))[0] == 200
    assert (await mine.call("DELETE", "/news"))[0] == 404
    assert "hush" not in mine.heard + others.heard


async def test_what_is_refused_is_named_and_no_secret_is_said(
    callers: tuple[Caller, Caller],
) -> None:
    mine, _ = callers
    no_url = {"header": "Authorization: hush"}
    for path, body, said in (
        ("/news", no_url, "for: the URL is expected"),
        ("/ne%20ws", BODY, "name: 1 to 64"),
        ("/news", ["hush"], "a JSON object is expected"),
        ("/news", {"cookies": "h" * MAX_BODY}, "Maximum request body size"),
        ("/room", {"channel": "hush"}, "channel: an address of Apprise is expected"),
        ("/room", {"channel": "nonsense://hush"}, "channel: it is no service"),
        ("/room", {"channel": {"address": "json://hush", "body": "{{"}}, "channel: body: line 1"),
        ("/room", {"channel": {"addres": "json://hush"}}, "channel: an address, or address, title"),
        ("/room", {"channel": "json://hush", "for": "https://a.test"}, "for: a channel has its"),
    ):
        status, answered = await mine.call("PUT", path, body)
        assert (status, answered["code"]) == (415, "6")
        assert said in answered["detail"]
    assert "hush" not in mine.heard
    assert await mine.call("GET") == (200, {"credentials": []})


async def test_a_channel_that_cannot_be_checked_now_is_not_stored(
    callers: tuple[Caller, Caller],
) -> None:
    mine, _ = callers
    status, answered = await mine.call("PUT", "/room", {"channel": "busy://hush"})
    assert (status, answered["code"]) == (503, "9")
    assert "'Retry-After': '5'" in mine.heard
    assert await mine.call("GET") == (200, {"credentials": []})


async def test_of_a_channel_only_the_name_of_its_service_is_shown(
    callers: tuple[Caller, Caller],
) -> None:
    mine, _ = callers
    body = {"channel": {"address": "mailto://io:hush@a.test", "title": "{{ title }}"}}
    status, answered = await mine.call("PUT", "/team", body)
    assert (status, answered["kind"], answered["for"]) == (200, "channel", "e-mail to i…@a.test")
    assert "hush" not in mine.heard


async def test_a_manager_with_a_hundred_credentials_is_told_that_it_has_them(
    callers: tuple[Caller, Caller],
) -> None:
    mine, others = callers
    for number in range(MOST):
        assert (await mine.call("PUT", f"/n{number}", BODY))[0] == 200
    status, answered = await mine.call("PUT", "/another", BODY)
    assert (status, answered["code"]) == (429, "10")
    assert "100 credentials already" in answered["detail"]
    assert (await others.call("PUT", "/another", BODY))[0] == 200
