"""POST /subscribe and the other requests, on a real HTTP server and with a register to look at."""

import asyncio
from collections.abc import AsyncIterator, Collection, Sequence
from dataclasses import dataclass, field
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
from connectors.api.jobs import RequestHandlers
from connectors.requests.outcomes import ClientRequests
from connectors.requests.quotas import Quotas
from connectors.stores.pages import ListedSubscription
from schemas.records.codes import Code
from schemas.records.credentials import SealedCredentials
from schemas.records.faults import Fault, Refusal
from schemas.records.requests import Check, ClientRequest, Pause
from schemas.records.subscription_facts import Rejected, Subscribed
from schemas.records.subscriptions import Receiver
from streams.agents.match.register.requests import Rules, check
from tests.fakes.subscriptions import subscription

BODY = {"documentUrl": "http://a.test/", "clientUrl": "http://c.test/", "keywords": ["x"]}
CHECKED_AT = 1_700_000_000_000


@dataclass
class Tenants:
    """An API with two managers, and the requests that reached the register."""

    http: ClientSession
    secrets: dict[str, str] = field(default_factory=dict)
    asked: list[ClientRequest] = field(default_factory=list)
    granted: set[str] = field(default_factory=set)
    grants: bool = False
    base: str = ""
    listed: list[ListedSubscription] = field(default_factory=list)

    def __post_init__(self) -> None:
        self.quotas = Quotas(self.active, self.find, lambda: 0.0)

    async def ask(self, request: ClientRequest) -> Any:
        self.asked.append(request)
        await asyncio.sleep(0.01)
        if not self.grants:
            return Rejected("r", request.manager, Code.CONFLICT, "", "http://a.test/", None, 1)
        request_id = request.request_id or ""
        held = subscription(f"of {request_id}", manager=request.manager)
        check = CHECKED_AT if isinstance(request, Check) else 0
        fact = Subscribed(request_id, held, held.url, None, 1, check)
        self.quotas.note(fact)
        return fact

    async def active(self, manager: str, without: Collection[str]) -> int:
        return len(self.granted - set(without))

    async def find(self, manager: str, url: str, receiver: Receiver, name: str) -> str | None:
        held = manager, url, receiver.client_url, name
        is_held = held == ("a", "http://a.test/", "http://c.test/", "")
        return "held" if is_held and "held" in self.granted else None

    async def get(self, manager: str, name: str) -> ListedSubscription | None:
        return next((each for each in self.listed if each.subscription.id == name), None)

    async def of_document(self, manager: str, url: str, limit: int) -> list[ListedSubscription]:
        return [each for each in self.listed if each.subscription.url == url]

    async def post(self, path: str, body: dict[str, Any]) -> dict[str, Any]:
        sent = {"Authorization": f"Bearer {self.secrets['a']}"}
        async with self.http.post(f"{self.base}/{path}", json=body, headers=sent) as response:
            found: dict[str, Any] = await response.json()
            return found

    async def credentials(self, manager: str, name: str) -> SealedCredentials | None:
        kind = {("a", "news"): "header", ("a", "team"): "channel"}.get((manager, name))
        return None if kind is None else SealedCredentials(manager, name, kind, "", 0)

    async def subscribe(self, manager: str, **headers: str) -> int:
        sent = {"Authorization": f"Bearer {self.secrets[manager]}", **headers}
        async with self.http.post(f"{self.base}/subscribe", json=BODY, headers=sent) as response:
            return response.status


def refusal(command: ClientRequest, unread: Sequence[Fault]) -> Refusal | None:
    found = check(command, Rules(60), unread)
    return found if isinstance(found, Refusal) else None


@pytest.fixture
async def tenants(tmp_path: Path) -> AsyncIterator[Tenants]:
    async with ClientSession() as http:
        tenants, keys = Tenants(http), []
        for manager in "ab":
            tenants.secrets[manager], key = new_key(manager, 3, None)
            keys.append(key)
        save_keys(tmp_path / "keys.json", keys)
        register: Any = tenants
        guard = access_middleware(ApiKeys(tmp_path / "keys.json"), CallRates(lambda: 0.0))
        app = web.Application(middlewares=[guard, answer_refusals])
        requests = ClientRequests(register, tenants.quotas, b"key", tenants.credentials, refusal)
        handlers = RequestHandlers(requests, register)
        paths: dict[str, Any] = {"/subscribe": handlers.subscribe}
        paths |= {f"/{action}": handlers.asking(action) for action in ("check", "pause")}
        guarded = [GuardedRoute(Role.WRITE, web.post(path, do)) for path, do in paths.items()]
        add_guarded_routes(app, guarded)
        async with TestServer(app) as server:
            tenants.base = f"http://127.0.0.1:{server.port}"
            yield tenants


async def test_one_idempotency_key_of_two_managers_makes_two_request_ids(tenants: Tenants) -> None:
    for manager in "aab":
        await tenants.subscribe(manager, **{"Idempotency-Key": "order-1"})
    first, again, other = (request.request_id for request in tenants.asked)
    assert first == again
    assert first != other


async def test_two_hundred_requests_at_once_get_no_more_than_the_quota(tenants: Tenants) -> None:
    tenants.grants = True
    statuses = await asyncio.gather(*(tenants.subscribe("a") for _ in range(200)))
    assert sorted(statuses) == [200] * 3 + [429] * 197
    assert await tenants.subscribe("b") == 200, "another manager has its own"


async def test_what_a_manager_has_is_asked_for_again_at_a_full_quota(
    tenants: Tenants, monkeypatch: pytest.MonkeyPatch
) -> None:
    tenants.granted = {"held", "second", "third"}
    monkeypatch.setitem(BODY, "documentUrl", "HTTP://A.test:80")
    monkeypatch.setitem(BODY, "clientUrl", "http://C.test")
    assert await tenants.subscribe("a") == 409, "the register decides"
    assert await tenants.subscribe("b") == 429


async def test_only_credentials_that_the_caller_has_can_be_used(tenants: Tenants) -> None:
    tenants.grants = True
    answers = []
    for manager in "ab":
        sent = {"Authorization": f"Bearer {tenants.secrets[manager]}"}
        body = BODY | {"view": {"credentials": "news"}}
        url = f"{tenants.base}/subscribe"
        async with tenants.http.post(url, json=body, headers=sent) as response:
            answers.append((response.status, (await response.json()).get("detail")))
    assert answers[0] == (200, None)
    status, detail = answers[1]
    assert status == 415
    assert (
        "view.credentials: there are no credentials 'news' (PUT /credentials/news stores them)"
        in detail
    )
    assert [request.manager for request in tenants.asked] == ["a"]


async def test_only_a_channel_that_the_caller_has_can_be_a_receiver(tenants: Tenants) -> None:
    tenants.grants = True
    answers = []
    for manager, name in (("a", "team"), ("b", "team"), ("a", "news")):
        sent = {"Authorization": f"Bearer {tenants.secrets[manager]}"}
        body = BODY | {"clientUrl": f"channel:{name}"}
        async with tenants.http.post(f"{tenants.base}/subscribe", json=body, headers=sent) as found:
            answers.append((found.status, (await found.json()).get("detail")))
    unknown = "there is no channel {0!r} (PUT /credentials/{0} stores it)"
    assert answers == [(200, None), (400, unknown.format("team")), (400, unknown.format("news"))]
    assert [request.receiver.client_url for request in tenants.asked] == ["channel:team"]


async def test_a_channel_cannot_be_used_for_pages(tenants: Tenants) -> None:
    sent = {"Authorization": f"Bearer {tenants.secrets['a']}"}
    body = BODY | {"view": {"credentials": "team"}}
    async with tenants.http.post(f"{tenants.base}/subscribe", json=body, headers=sent) as found:
        assert "there are no credentials 'team'" in (await found.json())["detail"]


async def test_all_wrong_fields_are_listed_at_once_each_with_its_code(tenants: Tenants) -> None:
    sent = {"Authorization": f"Bearer {tenants.secrets['a']}"}
    body = {
        "documentUrl": "here",
        "clientUrl": "channel:nobody",
        "keywords": ["?!"],
        "interval": "often",
        "colour": 1,
        "view": {"credentials": "nobody"},
    }
    async with tenants.http.post(f"{tenants.base}/subscribe", json=body, headers=sent) as found:
        status, answer = found.status, await found.json()
    # The first is what an answer said when it named only one.
    assert (status, answer["code"]) == (415, "6")
    assert answer["detail"].startswith("colour: there is no such field")
    assert [(each["code"], each["field"], each["reason"][:30]) for each in answer["errors"]] == [
        ("6", "colour", "there is no such field; there "),
        ("6", "interval", "a whole number is allowed"),
        ("6", "view.credentials", "there are no credentials 'nobo"),
        ("1", "documentUrl", "The provided document URL is i"),
        ("2", "clientUrl", "there is no channel 'nobody' ("),
        ("3", "keywords", "You need to provide at least o"),
    ]
    assert tenants.asked == []


async def test_a_field_that_cannot_be_read_has_one_error_not_that_of_its_absence(
    tenants: Tenants,
) -> None:
    sent = {"Authorization": f"Bearer {tenants.secrets['a']}"}
    body = {"documentUrl": 1, "clientUrl": [], "keywords": "argus", "view": {"select": [1, 2]}}
    async with tenants.http.post(f"{tenants.base}/subscribe", json=body, headers=sent) as found:
        answer = await found.json()
    fields = sorted(each["field"] for each in answer["errors"])
    assert fields == ["clientUrl", "documentUrl", "keywords", "view.select[0]", "view.select[1]"]
    assert {each["code"] for each in answer["errors"]} == {"6"}


async def test_an_answer_lists_twenty_wrong_fields_at_most(tenants: Tenants) -> None:
    sent = {"Authorization": f"Bearer {tenants.secrets['a']}"}
    body = {f"x{n}": 1 for n in range(5_000)} | {"view": {"select": [1] * 5_000}}
    async with tenants.http.post(f"{tenants.base}/subscribe", json=body, headers=sent) as found:
        answer = await found.json()
    assert len(answer["errors"]) == 20


def listed(name: str, *, paused: bool = False, ended: int | None = None) -> ListedSubscription:
    held = subscription(name, receiver=Receiver(f"http://{name}.test/"), paused=paused)
    return ListedSubscription(held, "", None, ended, None, None, 0, None)


async def test_a_check_is_answered_with_the_time_of_the_visit(tenants: Tenants) -> None:
    tenants.grants = True
    found = await tenants.post("check", {"documentUrl": "http://a.test/", "session": "s"})
    assert (found["code"], found["at"]) == ("0", "2023-11-14T22:13:20.000Z")


async def test_an_id_names_a_subscription_in_every_request_about_one(tenants: Tenants) -> None:
    tenants.listed = [listed("first"), listed("second")]
    page, second = tenants.listed[1].subscription.document_url, Receiver("http://second.test/")
    for path, kind in (("check", Check), ("pause", Pause)):
        await tenants.post(path, {"id": "second"})
        asked = tenants.asked.pop()
        assert (type(asked), asked.document_url, asked.receiver) == (kind, page, second)


@pytest.mark.parametrize(("body", "code"), [
    ({"id": "of another manager"}, "11"),
    ({"id": 5}, "6"),
    ({"id": "first", "documentUrl": "http://a.test/"}, "6"),
    ({"documentUrl": "http://unknown.test/"}, "7"),
])  # fmt: skip
async def test_a_check_of_nothing_that_is_watched_asks_nobody(
    tenants: Tenants, body: dict[str, Any], code: str
) -> None:
    tenants.listed = [listed("first")]
    found = await tenants.post("check", body)
    assert (found["code"], tenants.asked) == (code, [])


async def test_a_check_of_a_page_alone_is_about_a_subscription_that_runs(tenants: Tenants) -> None:
    tenants.listed = [listed("ended", ended=1), listed("paused", paused=True), listed("running")]
    await tenants.post("check", {"documentUrl": tenants.listed[0].subscription.document_url})
    assert [each.receiver.client_url for each in tenants.asked] == ["http://running.test/"]
