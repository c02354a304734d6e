"""POST /try, with trials that take as long as a test wants."""

import asyncio
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest
from aiohttp import ClientSession

from connectors.access.keys import new_key, save_keys
from connectors.api.trials import DEFAULT_LINES, TrialHandler
from connectors.reads import trial_limits
from connectors.reads.trial_limits import MAX_TRIALS_PER_MANAGER, TrialLimits, TrialRefused
from schemas.records.faults import Fault, Refusal, format_fault, refusal_by
from schemas.records.previews import SeenPage
from schemas.records.requests import Subscribe
from schemas.records.subscriptions import Options, Receiver, Subscription
from schemas.records.views import ViewOptions
from tests.fakes.asked import asked_subscription
from tests.harness.api import serving_api
from tests.harness.virtual_time import in_virtual_time

RETRY = str(trial_limits.RETRY_AFTER_S)
BODY = {"documentUrl": "https://example.org/giants"}


class Looking:
    """Trials that end when the test says so; what was asked is listed."""

    def __init__(self) -> None:
        self.asked: list[Subscription] = []
        self.begun = asyncio.Semaphore(0)
        self.end = asyncio.Event()

    def subscription_of(self, asked: Subscribe, unread: Sequence[Fault]) -> Subscription | Refusal:
        wrong = [format_fault("view.select[0].css: '<' is no CSS selector")]
        faults = [*unread, *(wrong if "refused" in asked.document_url else ())]
        return refusal_by(faults) if faults else asked_subscription(asked)

    async def look(self, asked: Subscription) -> SeenPage:
        self.asked.append(asked)
        self.begun.release()
        await self.end.wait()
        return SeenPage(200, asked.document_url, text="\n".join(["Zeus"] * 200))

    @property
    def handler(self) -> TrialHandler:
        return TrialHandler(TrialLimits(self.subscription_of, lambda: 0.0), self.look)


async def tried(
    session: ClientSession, base: str, path: str = "/try", key: str = "", **body: Any
) -> tuple[int, dict[str, Any], str | None]:
    headers = {"Authorization": f"Bearer {key}"} if key else {}
    async with session.post(f"{base}{path}", json=BODY | body, headers=headers) as response:
        return response.status, await response.json(), response.headers.get("Retry-After")


async def test_a_trial_needs_neither_keywords_nor_a_receiver(tmp_path: Path) -> None:
    looking = Looking()
    looking.end.set()
    async with serving_api(tmp_path / "k", trials=looking.handler) as base, ClientSession() as http:
        status, body, _ = await tried(http, base)
        more: dict[str, Any] = {"keywords": ["zeus"], "clientUrl": "https://a.example/"}
        _, short, _ = await tried(http, base, "/try?lines=3", **more)
    assert status == 200
    assert body["code"] == "0"
    assert body["text"].split("\n") == ["Zeus"] * DEFAULT_LINES
    assert short["text"].split("\n") == ["Zeus"] * 3
    assert (body["lines"], short["lines"]) == (200, 200)
    assert [asked.keywords for asked in looking.asked] == [("*",), ("zeus",)]


@pytest.mark.parametrize(
    ("path", "body", "code"),
    [
        ("/try", {"documentUrl": "https://refused.example/"}, "6"),
        ("/try", {"viev": {}}, "6"),
        ("/try?lines=-1", {}, "6"),
        ("/try?lines=10001", {}, "6"),
    ],
)
async def test_a_request_that_is_refused_is_not_tried(
    tmp_path: Path, path: str, body: dict[str, Any], code: str
) -> None:
    looking = Looking()
    async with serving_api(tmp_path / "k", trials=looking.handler) as base, ClientSession() as http:
        status, found, _ = await tried(http, base, path, **body)
    assert (status, found["code"]) == (415, code)
    assert looking.asked == []


async def test_beyond_its_turns_a_manager_gets_503_while_another_is_tried(tmp_path: Path) -> None:
    looking, path = Looking(), tmp_path / "keys.json"
    made = [new_key(name, None, None) for name in ("one", "two")]
    save_keys(path, [key for _, key in made])
    one, two = (secret for secret, _ in made)
    async with serving_api(path, trials=looking.handler) as base, ClientSession() as http:
        calls = {asyncio.create_task(tried(http, base, key=one)) for _ in range(7)}
        refused: set[asyncio.Task[Any]] = set()
        while len(refused) < 7 - 2 * MAX_TRIALS_PER_MANAGER:
            done, calls = await asyncio.wait(calls, return_when=asyncio.FIRST_COMPLETED)
            refused |= done
        for call in refused:
            status, body, retry_after = call.result()
            assert (status, body["code"], retry_after) == (
                503,
                "9",
                RETRY,
            )
        assert len(looking.asked) == MAX_TRIALS_PER_MANAGER
        other = asyncio.create_task(tried(http, base, key=two))
        for _ in range(MAX_TRIALS_PER_MANAGER + 1):
            await looking.begun.acquire()
        assert looking.asked[-1].manager == "two"
        looking.end.set()
        answers = await asyncio.gather(*calls, other)
    assert [status for status, *_ in answers] == [200] * (2 * MAX_TRIALS_PER_MANAGER + 1)


async def test_nobody_scans_hosts_with_trials(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(trial_limits, "MAX_A_MINUTE", 2)
    looking = Looking()
    looking.end.set()
    async with serving_api(tmp_path / "k", trials=looking.handler) as base, ClientSession() as http:
        answers = [await tried(http, base) for _ in range(3)]
    assert [(status, body["code"]) for status, body, _ in answers] == [
        (200, "0"), (200, "0"), (429, "10"),
    ]  # fmt: skip
    assert (answers[2][2], answers[2][1]["detail"]) == ("30", "2 trials a minute are allowed.")
    assert len(looking.asked) == 2


async def test_a_trial_that_takes_too_long_is_given_up(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(trial_limits, "TRIAL_TIMEOUT_S", 0.01)
    looking = Looking()
    async with serving_api(tmp_path / "k", trials=looking.handler) as base, ClientSession() as http:
        status, body, retry_after = await tried(http, base)
    assert (status, body["code"], retry_after) == (503, "9", RETRY)
    assert "longer than" in body["detail"]


def test_pages_in_a_browser_take_turns_by_manager_and_each_has_the_whole_time() -> None:
    begun: list[str] = []

    async def look(asked: Subscription) -> dict[str, Any]:
        begun.append(asked.manager)
        await asyncio.sleep(trial_limits.TRIAL_TIMEOUT_S - 1)
        return {}

    async def visits() -> list[dict[str, Any] | BaseException]:
        limits = TrialLimits(lambda asked, _: asked_subscription(asked), lambda: 0.0)
        shown = Options(view=ViewOptions(render=True))
        asked = Subscribe("https://example.org/", Receiver(session="s"), keywords=(), options=shown)
        calls = [limits.trial(manager, asked, look) for manager in ("one", "one", "two")]
        return await asyncio.gather(*calls, return_exceptions=True)

    first, second, other = in_virtual_time(visits())
    assert begun == ["one", "two"]
    assert (first, other) == ({}, {})
    assert isinstance(second, TrialRefused)


async def test_without_a_key_nothing_is_tried_where_keys_are_needed(tmp_path: Path) -> None:
    looking, path = Looking(), tmp_path / "keys.json"
    save_keys(path, [new_key("one", None, None)[1]])
    async with serving_api(path, trials=looking.handler) as base, ClientSession() as http:
        status, body, _ = await tried(http, base)
    assert (status, body["code"]) == (401, "8")
    assert looking.asked == []
