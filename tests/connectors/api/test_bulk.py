"""POST /bulk, with a register that decides, on a real HTTP server."""

from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import pytest
from aiohttp import ClientSession

from connectors.api.bulk import MOST
from connectors.requests.bulk import AT_ONCE, BulkChange, change_each
from connectors.requests.outcomes import RequestOutcome
from connectors.serving import BASE
from connectors.stores.pages import ListedSubscription
from schemas.records.codes import Code
from schemas.records.requests import ClientRequest
from tests.fakes.subscriptions import subscription
from tests.harness.page import ServedPage, serving_page


class Api:
    """The API with a few subscriptions: those of a and b have the tag shop."""

    def __init__(self, page: ServedPage, http: ClientSession) -> None:
        self.page = page
        self._http = http
        self.ids: list[str] = []

    async def post(self, path: str, **body: Any) -> dict[str, Any]:
        async with self._http.post(f"{self.page.base}{BASE}/{path}", json=body) as response:
            found: dict[str, Any] = await response.json()
            return found

    async def bulk(self, **body: Any) -> dict[str, Any]:
        return await self.post("bulk", **body)

    async def filled(self) -> None:
        for name, tags in (("a", ["shop"]), ("b", ["news", "shop"]), ("c", [])):
            asked = {"documentUrl": f"https://{name}.test/", "session": "me", "keywords": ["x"]}
            self.ids.append((await self.post("subscribe", **asked, tags=tags))["id"])
        self.page.register.asked.clear()

    async def listed(self) -> dict[str, ListedSubscription]:
        found = await self.page.store.subscriptions.page("default", None, 100)
        return {each.subscription.url[8]: each for each in found.items if each.ended is None}

    @property
    def asked(self) -> list[tuple[str, str]]:
        """The requests that were made, each by its kind and the letter of its page."""
        every = self.page.register.asked
        return sorted((type(each).__name__, each.document_url[8]) for each in every)


@pytest.fixture
async def api(tmp_path: Path) -> AsyncIterator[Api]:
    async with serving_page(tmp_path) as page, ClientSession() as http:
        api = Api(page, http)
        await api.filled()
        yield api


async def test_a_tag_names_those_that_are_paused(api: Api) -> None:
    found = await api.bulk(action="pause", tag=" SHOP ")
    assert (found["done"], found["refused"], found["next"]) == (2, 0, None)
    assert [each["id"] for each in found["results"]] == api.ids[:2]
    assert {name: each.state for name, each in (await api.listed()).items()} == {
        "a": "paused", "b": "paused", "c": "active",
    }  # fmt: skip


async def test_a_state_names_those_that_are_resumed(api: Api) -> None:
    await api.bulk(action="pause", ids=api.ids[:1])
    found = await api.bulk(action="resume", state="paused")
    assert [each["id"] for each in found["results"]] == api.ids[:1]


async def test_each_that_is_refused_is_named_with_its_code(api: Api) -> None:
    await api.post("cancel", id=api.ids[1])
    found = await api.bulk(action="check", ids=[api.ids[0], api.ids[1], "unknown", api.ids[0]])
    codes = {each["id"]: each["code"] for each in found["results"]}
    assert codes == {api.ids[0]: "0", api.ids[1]: "7", "unknown": "11"}
    assert (found["code"], found["done"], found["refused"]) == ("0", 1, 2)
    assert found["results"][0]["at"].endswith("Z")


async def test_what_has_ended_is_meant_by_no_filter(api: Api) -> None:
    await api.bulk(action="cancel", tag="shop")
    found = await api.bulk(action="pause", state="all")
    assert [each["id"] for each in found["results"]] == api.ids[2:]


async def test_those_that_were_stopped_are_meant_by_their_state_alone_and_resumed(api: Api) -> None:
    await api.bulk(action="stop", tag="shop")
    assert {name: each.state for name, each in (await api.listed()).items()} == {
        "a": "stopped", "b": "stopped", "c": "active",
    }  # fmt: skip
    others = await api.bulk(action="interval", interval=700, state="all")
    assert [each["id"] for each in others["results"]] == api.ids[2:]
    undone = await api.bulk(action="resume", state="stopped")
    assert [each["id"] for each in undone["results"]] == api.ids[:2]
    assert {each.state for each in (await api.listed()).values()} == {"active"}


async def test_tags_are_added_and_removed_and_all_else_stays(api: Api) -> None:
    before = await api.listed()
    await api.bulk(action="tag", state="all", tags=["Prices"])
    await api.bulk(action="untag", ids=api.ids[:2], tags=["shop", "other"])
    after = await api.listed()
    tags = {name: each.subscription.options.tags for name, each in after.items()}
    assert tags == {"a": ("prices",), "b": ("news", "prices"), "c": ("prices",)}
    for name, each in after.items():
        was, now = before[name].subscription, each.subscription
        assert (was.id, was.keywords, was.receiver) == (now.id, now.keywords, now.receiver)


async def test_an_interval_is_changed_or_refused_by_the_register(api: Api) -> None:
    found = await api.bulk(action="interval", ids=api.ids, interval=3600)
    assert found["done"] == 3
    assert {each.subscription.options.interval for each in (await api.listed()).values()} == {3600}
    refused = await api.bulk(action="interval", ids=api.ids[:1], interval=1)
    assert refused["results"][0]["code"] == "6"
    assert "interval" in refused["results"][0]["detail"]


async def test_a_move_begins_with_the_other_receiver_before_it_ends_with_this_one(api: Api) -> None:
    await api.bulk(action="pause", ids=api.ids[:1])
    api.page.register.asked.clear()
    found = await api.bulk(action="move", ids=api.ids[:1], session="other")
    assert [type(each).__name__ for each in api.page.register.asked] == [
        "Subscribe", "Pause", "Cancel",
    ]  # fmt: skip
    moved = (await api.listed())["a"]
    assert (moved.subscription.receiver.session, moved.state) == ("other", "paused")
    assert found["results"][0]["newId"] == moved.subscription.id != api.ids[0]


async def test_a_move_that_is_refused_ends_nothing(api: Api) -> None:
    other = {"documentUrl": "https://a.test/", "session": "other", "keywords": ["y"]}
    await api.post("subscribe", **other)
    api.page.register.asked.clear()
    found = await api.bulk(action="move", ids=api.ids[:1], session="other")
    assert found["results"][0]["code"] == "5"
    assert api.asked == [("Subscribe", "a")]


async def test_a_move_to_its_own_receiver_changes_nothing(api: Api) -> None:
    found = await api.bulk(action="move", ids=api.ids[:1], session="me")
    assert (found["done"], api.asked) == (1, [])


@pytest.mark.parametrize("body", [
    {},
    {"action": "pause"},
    {"action": "explode", "state": "all"},
    {"action": "pause", "ids": []},
    {"action": "pause", "ids": ["x"] * (MOST + 1)},
    {"action": "pause", "ids": ["x"], "tag": "shop"},
    {"action": "pause", "ids": ["\ud800"]},
    {"action": "pause", "state": "\ud800"},
    {"action": "pause", "state": "all", "cursor": "nonsense"},
    {"action": "pause", "state": "all", "tagg": "shop"},
    {"action": "tag", "state": "all"},
    {"action": "move", "state": "all"},
    {"action": "move", "state": "all", "session": "a", "clientUrl": "http://b.test/"},
    {"action": "interval", "state": "all"},
])  # fmt: skip
async def test_a_body_that_says_too_little_or_too_much_changes_nothing(
    api: Api, body: dict[str, Any]
) -> None:
    found = await api.bulk(**body)
    assert (found["code"], api.asked) == ("6", [])
    assert found["detail"]


async def test_an_unknown_action_is_answered_with_the_known_ones(api: Api) -> None:
    found = await api.bulk(action="explode", state="all")
    assert found["detail"].startswith("action must be one of: pause, resume, check,")


async def test_after_one_without_an_answer_no_more_are_asked_for() -> None:
    asked: list[ClientRequest] = []

    async def ask(request: ClientRequest) -> RequestOutcome:
        asked.append(request)
        return RequestOutcome(Code.NO_ANSWER)

    many = [subscription(f"s{number}") for number in range(100)]
    outcomes = await change_each(ask, many, BulkChange("pause"))
    assert [each.code for each in outcomes] == [Code.NO_ANSWER] * 100
    assert len(asked) == AT_ONCE
