"""API keys: managers share a deployment without seeing each other."""

from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager
from pathlib import Path
from signal import SIGTERM
from uuid import uuid4

import pytest
from aiohttp import ClientSession

from connectors.access.keys import ApiKey, new_key, save_keys
from infra.ports import any_free
from schemas.records.topics import SUBSCRIPTION_REQUESTS, SUBSCRIPTIONS
from tests.harness.facts import reading
from tests.harness.hooks import Hooks
from tests.harness.pages import Pages
from tests.harness.processes import VOKTER, Deployment, Process
from tests.harness.rest import OK, Rest
from tests.harness.waiting import eventually, until

UNKNOWN = (404, "7", "The specified job to cancel does not exist.")


class Guarded:
    """A second API of the shared deployment, with keys for managers that nobody else is."""

    def __init__(self, shared: Deployment, folder: Path) -> None:
        self.secrets: dict[str, str] = {}
        """Those of the managers that were added last under these names."""
        self._keys: list[ApiKey] = []
        update = {
            "port": any_free(),
            "host": "0.0.0.0",  # noqa: S104 - to be opened by the keys alone
            "api_keys": folder / "keys.json",
            "store": shared.settings.store_url,
        }
        self.settings = shared.settings.model_copy(update=update)
        line = [*VOKTER, "--with-parent", "api"]
        self.process = Process("guarded", line, self.settings, is_kept=True)

    def add(self, manager: str, subscriptions: int | None = None) -> None:
        secret, key = new_key(f"{manager}-{uuid4().hex}", subscriptions, None)
        self.secrets[manager] = secret
        self._keys.append(key)
        save_keys(self.settings.keys_file, self._keys)

    @asynccontextmanager
    async def rest(self, manager: str) -> AsyncIterator[Rest]:
        headers = {"Authorization": f"Bearer {self.secrets[manager]}"}
        async with ClientSession(headers=headers) as http:
            rest = Rest(http, f"http://127.0.0.1:{self.settings.port}/vokter/v1")
            await eventually(rest.health, "the API answers")
            yield rest
            await rest.tidy()


@pytest.fixture(scope="module")
def running(
    stopped_shared: Deployment, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[Guarded]:
    guarded = Guarded(stopped_shared, tmp_path_factory.mktemp("guarded"))
    guarded.add("nobody")
    guarded.process.start()
    yield guarded
    guarded.process.signal(SIGTERM)
    guarded.process.end()


@pytest.fixture
def guarded(running: Guarded) -> Guarded:
    """The API, with managers that are new to it."""
    running.add("ours")
    running.add("theirs", subscriptions=1)
    return running


async def test_one_manager_neither_sees_nor_cancels_what_is_anothers(
    rest: Rest, guarded: Guarded, pages: Pages, hooks: Hooks
) -> None:
    page, hook = pages.add("<p>the giant"), hooks.add()
    target = {"documentUrl": page.url, "clientUrl": hook.url}
    async with guarded.rest("ours") as ours, guarded.rest("theirs") as theirs:
        name = await ours.subscribe(page.url, hook.url, "argus")
        assert (await theirs.call("/cancel", target)).verdict == UNKNOWN
        other = await theirs.subscribe(page.url, hook.url, "argus")
        await theirs.shows(lambda item: item["id"] == other, "their own")
        await ours.shows(lambda item: item["id"] == name, "our own")
        assert {item["id"] for item in await ours.all()} == {name}
        assert {item["id"] for item in await theirs.all()} == {other}
        assert not await rest.listed(hook.url)

        assert (await theirs.get(f"/subscriptions/{name}")).body["code"] == "11"

        await page.stored()
        page.text = "<p>the giant argus"
        await hook.notified(2)
        assert len({post.id for post in hook.posts}) == 2

        for kind in ("notifications", "deliveries"):
            mine = await ours.history(kind, client=hook.url)
            assert {item["subscription"] for item in mine} == {name}
            assert (await rest.get(f"/{kind}", client=hook.url)).body[kind] == []
        assert len(await theirs.history("changes", documentUrl=page.url)) == 1
        assert (await rest.get("/changes", documentUrl=page.url)).body["code"] == "11"


async def test_a_manager_has_no_more_subscriptions_than_its_quota(
    rest: Rest, guarded: Guarded, pages: Pages, hooks: Hooks
) -> None:
    page, hook = pages.add("<p>the giant"), hooks.add()
    body = {"documentUrl": page.url, "clientUrl": hook.url + "/b", "keywords": ["argus"]}
    async with guarded.rest("theirs") as theirs:
        name = await theirs.subscribe(page.url, hook.url, "argus")
        await theirs.shows(lambda item: item["id"] == name, "the first")
        refused = await theirs.call("/subscribe", body)
        assert (refused.status, refused.body["code"]) == (429, "10")
        await theirs.cancel(page.url, hook.url)
        await theirs.shows(
            lambda item: item["id"] == name and item["state"] == "cancelled", "its end"
        )
        assert (await theirs.call("/subscribe", body)).verdict == OK
        await theirs.call("/cancel", body)


async def test_no_key_is_in_any_log_or_on_any_topic(
    rest: Rest, guarded: Guarded, shared: Deployment, pages: Pages, hooks: Hooks
) -> None:
    page, hook = pages.add("<p>the giant"), hooks.add()
    async with (
        reading(shared.settings, SUBSCRIPTION_REQUESTS) as requests,
        reading(shared.settings, SUBSCRIPTIONS) as facts,
        guarded.rest("ours") as ours,
    ):
        name = await ours.subscribe(page.url, hook.url, "argus")
        await ours.shows(lambda item: item["id"] == name, "the subscription")
        await until(lambda: facts.seen and requests.seen, "both have been read")
        secret = guarded.secrets["ours"].removeprefix("vk_").encode()
        for message in (*requests.seen, *facts.seen):
            assert secret not in message.value
    for log in shared.logs():
        assert secret not in log.read_bytes()
