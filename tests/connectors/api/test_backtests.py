"""POST /backtest, with backtests that take as long as a test wants."""

import asyncio
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest
from aiohttp import ClientSession

from connectors.access.keys import new_key, save_keys
from connectors.api.trials import BacktestHandler
from connectors.reads.trial_limits import (
    MAX_WAITING_PER_MANAGER,
    AskedPart,
    BacktestLimits,
    TrialRefused,
)
from schemas.codec.backtests import PastNotifications
from schemas.records.codes import Code
from schemas.records.faults import Fault, Refusal, refusal_by
from schemas.records.requests import Subscribe
from schemas.records.subscriptions import Receiver, Subscription
from tests.fakes.asked import asked_subscription
from tests.harness.api import serving_api
from tests.harness.virtual_time import in_virtual_time

BODY = {"documentUrl": "https://example.org/giants", "keywords": ["argus"]}
COMMAND = Subscribe("https://example.org/giants", Receiver(session="me"), keywords=("argus",))


FOUND = PastNotifications(since=1_000, changes=3)
ANSWER: dict[str, Any] = {
    "code": "0",
    "message": "",
    "since": "1970-01-01T00:00:01.000Z",
    "until": None,
    "changes": 3,
    "withoutTexts": 0,
    "dropped": 0,
    "waiting": 0,
    "held": 0,
    "total": 0,
    "keywords": [],
    "notifications": [],
    "stopped": None,
    "next": None,
}


class Finding:
    """Backtests that end when the test says so; what was asked is listed."""

    def __init__(self) -> None:
        self.asked: list[tuple[Subscription, AskedPart]] = []
        self.begun = asyncio.Semaphore(0)
        self.end = asyncio.Event()

    def subscription_of(self, asked: Subscribe, unread: Sequence[Fault]) -> Subscription | Refusal:
        wordless = asked.keywords == ("?!",)
        faults = [*unread, *([Fault(Code.NO_KEYWORD, "keywords", "")] if wordless else [])]
        return refusal_by(faults) if faults else asked_subscription(asked)

    async def find(self, asked: Subscription, part: AskedPart) -> PastNotifications:
        self.asked.append((asked, part))
        self.begun.release()
        await self.end.wait()
        if part.after == "forged":
            raise ValueError("not a cursor")
        return FOUND

    @property
    def limits(self) -> BacktestLimits:
        return BacktestLimits(self.subscription_of, self.find)

    @property
    def handler(self) -> BacktestHandler:
        return BacktestHandler(self.limits)


async def asked_of(
    base: str, query: str = "", key: str = "", **body: Any
) -> tuple[int, dict[str, Any], str | None]:
    headers = {"Authorization": f"Bearer {key}"} if key else {}
    async with (
        ClientSession() as session,
        session.post(f"{base}/backtest{query}", json=BODY | body, headers=headers) as response,
    ):
        return response.status, await response.json(), response.headers.get("Retry-After")


async def test_a_part_of_the_history_of_the_keys_manager_is_asked_for(tmp_path: Path) -> None:
    finding = Finding()
    finding.end.set()
    secret, key = new_key("news-desk", None, None)
    save_keys(tmp_path / "keys.json", [key])
    async with serving_api(tmp_path / "keys.json", backtests=finding.handler) as base:
        query = "?since=1970-01-01T00:00:01Z&limit=7&cursor=2-c"
        status, body, _ = await asked_of(base, query, secret)
        assert (await asked_of(base))[0] == 401
    assert (status, body) == (200, ANSWER)
    ((asked, part),) = finding.asked
    assert (asked.manager, asked.keywords) == ("news-desk", ("argus",))
    assert part == AskedPart(7, 1_000, "2-c")


@pytest.mark.parametrize(
    ("query", "body", "code", "detail"),
    [
        ("?since=May", {}, "6", "since: expected a time with a zone (RFC 3339), not 'May'"),
        ("?limit=0", {}, "6", "limit: expected 1 to 1000, not '0'"),
        ("?cursor=forged", {}, "6", "cursor: expected the 'next' of an answer"),
        ("", {"keywords": ["?!"]}, "3", None),
        (
            "",
            {"keyword": ["argus"]},
            "6",
            "keyword: there is no such field; did you mean keywords?",
        ),
    ],
)
async def test_what_cannot_be_asked_for_is_refused(
    tmp_path: Path, query: str, body: dict[str, Any], code: str, detail: str | None
) -> None:
    finding = Finding()
    finding.end.set()
    async with serving_api(tmp_path / "keys.json", backtests=finding.handler) as base:
        _, found, _ = await asked_of(base, query, **body)
    assert (found["code"], found.get("detail")) == (code, detail)


async def test_managers_take_turns_and_few_calls_of_one_wait() -> None:
    finding = Finding()
    limits = finding.limits
    first = asyncio.create_task(limits.backtest("a", COMMAND, AskedPart(100)))
    await finding.begun.acquire()
    others = [
        asyncio.create_task(limits.backtest("a", COMMAND, AskedPart(100)))
        for _ in range(MAX_WAITING_PER_MANAGER)
    ]
    await asyncio.sleep(0)
    with pytest.raises(TrialRefused, match="Not begun: other backtests of this manager wait"):
        await limits.backtest("a", COMMAND, AskedPart(100))
    another = asyncio.create_task(limits.backtest("b", COMMAND, AskedPart(100)))
    await asyncio.sleep(0)
    assert len(finding.asked) == 1
    finding.end.set()
    await asyncio.gather(first, another, *others)
    assert [asked.manager for asked, _ in finding.asked[:2]] == ["a", "b"]


def test_one_that_takes_too_long_is_refused_for_now() -> None:
    async def too_long() -> None:
        with pytest.raises(
            TrialRefused, match=r"Not finished: .* took longer than 60 s"
        ) as refused:
            await Finding().limits.backtest("a", COMMAND, AskedPart(100))
        assert (refused.value.refusal.code, refused.value.retry_after) == (Code.NO_ANSWER, 5)

    in_virtual_time(too_long())
