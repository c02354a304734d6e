"""Backfill: what a subscription asks for afterwards, as match grants it and as it is found."""

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from dataclasses import replace
from typing import Any

import pytest

from connectors.stores import cursor
from schemas.records.backfills import BackfillEnded, BackfillGranted
from schemas.records.codes import Code
from schemas.records.history import ChangeHistory
from schemas.records.reprocessing import Reprocess, Reprocessed
from schemas.records.requests import Backfill, Cancel, Expire, Subscribe
from schemas.records.subscription_facts import Rejected, Subscribed
from schemas.records.subscriptions import Receiver, Subscription
from schemas.records.topics import HISTORY_REQUESTS, SUBSCRIPTIONS
from streams.agents.history.agent import HistoryProcessor
from streams.agents.history.backfill import BackfillEffects, Backfills, TooManyBackfillsError
from streams.agents.history.backtest import BacktestEffects, SliceEnd
from streams.agents.match.agent import MatchProcessor
from streams.agents.match.register.requests import Rules
from streams.effects.history import MAX_WAITING, manager_turns
from streams.values.outcome import Send
from tests.agents.history.test_backtest import URL, history, live
from tests.fakes.events import event, no_rows

ME = Receiver(session="me")
ASKED = Subscribe(URL, ME, "1", keywords=("argus", "giant"))
TEXTS = [["Still."], ["The giant sleeps."], ["Io."], ["See argus."], ["See argus and a giant."]]
AT = 1_000_000
"""When requests are decided (epoch ms), after all changes."""


class Register:
    """Match, with one subscription."""

    def __init__(self, asked: Subscribe = ASKED) -> None:
        self._agent = MatchProcessor(partition_of=lambda _: 0, rules=Rules(60))
        self._agent.begin(0)
        (answer,) = self.ask(asked)
        assert isinstance(answer, Subscribed)
        self.subscription = answer.subscription

    def ask(self, request: Any) -> list[Any]:
        return [send.record for send in self.sends(request)]

    def sends(self, request: Any) -> list[Send]:
        return list(self._agent.decide(event(request)).sends)


async def no_page(command: Reprocess) -> Reprocessed:
    raise AssertionError(f"nobody has asked for {command.url}")


class Found:
    """The agent with a store that has the changes between texts, and some notifications."""

    def __init__(
        self,
        texts: list[list[str]],
        *known: str,
        reprocess: Callable[[Reprocess], Awaitable[Reprocessed]] = no_page,
    ) -> None:
        self._texts = texts
        self._known = known
        self.order: list[str] = []
        self.may_read = asyncio.Event()
        self.may_read.set()
        self.has_store = True
        backtest = BacktestEffects(
            self._read, cursor.written, cursor.read, _compute, lambda: 0.0, str, lambda: 0,
            lambda: AT,
        )  # fmt: skip
        effects = BackfillEffects(backtest, self._is_known, self._turn)
        self.agent = HistoryProcessor(Backfills(effects), reprocess)

    async def of(self, fact: BackfillGranted | BackfillEnded, at: int = 0) -> list[Any]:
        outcome = await self.agent.handle(event(fact, topic="history-requests", offset=at), no_rows)
        return [send.record for send in outcome.sends]

    async def _read(
        self, manager: str, url: str, view: str, since: int, after: str | None, limit: int
    ) -> ChangeHistory:
        assert (manager, url) == ("default", URL)
        await self.may_read.wait()
        if not self.has_store:
            raise OSError("the store is locked")
        changes = history(self._texts, "w", has_texts=False)[::-1]
        before = cursor.read(after, cursor.LATEST)
        wanted = [each for each in changes if since <= each.at and (each.at, each.id) < before]
        more = (
            cursor.written(wanted[limit - 1].at, wanted[limit - 1].id) if wanted[limit:] else None
        )
        return ChangeHistory(tuple(wanted[:limit]), more, 0, None)

    async def _is_known(self, manager: str, notification: str) -> bool:
        return notification in self._known

    @asynccontextmanager
    async def _turn(self, manager: str) -> AsyncIterator[None]:
        self.order.append(manager)
        yield


async def _compute(work: Callable[[], SliceEnd]) -> SliceEnd:
    return work()


def granted(subscription: Subscription, **how: Any) -> BackfillGranted:
    return replace(BackfillGranted("r", subscription, 0, AT, 100), **how)


async def test_what_is_found_is_what_match_would_have_notified_with_its_ids_as_history() -> None:
    register, notified = Register(), live(ASKED, TEXTS, has_texts=False)
    found = await Found(TEXTS).of(granted(register.subscription))
    assert [each.history for each in found] == [True] * 4
    alike = [replace(each, history=False) for each in found]
    assert alike == [replace(each, watch=register.subscription.watch) for each in notified]
    assert [each.at for each in found] == sorted(each.at for each in found)


async def test_the_newest_are_found_of_a_span_without_those_that_are_known() -> None:
    subscription = Register().subscription
    every = [each.id for each in await Found(TEXTS).of(granted(subscription))]
    newest = await Found(TEXTS).of(granted(subscription, limit=2))
    assert [each.id for each in newest] == every[-2:]
    some = await Found(TEXTS).of(granted(subscription, since=1_001, until=1_003))
    assert [each.id for each in some] == every[1:3]
    left = await Found(TEXTS, every[0], every[3]).of(granted(subscription))
    assert [each.id for each in left] == every[1:3]


async def test_those_of_patience_are_found_once_they_stood() -> None:
    patient = replace(ASKED, options=replace(ASKED.options, patience_visits=2))
    found = await Found(TEXTS).of(granted(Register(patient).subscription))
    assert found
    assert all(each.stood is not None and each.history for each in found)


async def test_a_large_backfill_has_all_entries_of_its_notifications() -> None:
    many = "\n\n".join(f"Giant {number} and argus." for number in range(50))
    (found,) = await Found([["Still."], [many]]).of(granted(Register().subscription))
    assert len(found.diffs) > 20


def test_a_granted_request_is_passed_on_once_and_changes_after_it_are_left_to_match() -> None:
    register = Register()
    request = Backfill(URL, ME, "2", since="1970-01-01T00:00:01Z", until="2030-01-01T00:00:00Z")
    answer, passed_on = register.ask(request)
    assert isinstance(answer, Subscribed)
    assert passed_on == BackfillGranted("2", register.subscription, 1_000, AT, 100)
    again = register.ask(request)
    assert [type(each) for each in again] == [Subscribed]


@pytest.mark.parametrize(
    ("how", "detail"),
    [
        ({"since": "May"}, "since: expected a time as in RFC 3339, not 'May'"),
        ({"until": "2026-11-23"}, "until: expected a time as in RFC 3339, not '2026-11-23'"),
        ({"limit": 0}, "limit: 1 to 100 notifications are allowed"),
        ({"limit": 101}, "limit: 1 to 100 notifications are allowed"),
    ],
)
def test_a_request_with_a_wrong_field_is_rejected_by_its_name(
    how: dict[str, Any], detail: str
) -> None:
    (answer,) = Register().ask(replace(Backfill(URL, ME, "2"), **how))
    assert isinstance(answer, Rejected)
    assert detail in answer.detail


def test_without_a_subscription_there_is_nothing_to_do() -> None:
    (answer,) = Register().ask(Backfill(URL, Receiver(session="other"), "2"))
    assert isinstance(answer, Rejected)
    assert answer.code is Code.NO_SUCH_SUBSCRIPTION


async def test_backfills_of_a_manager_wait_for_each_other_and_too_many_are_refused() -> None:
    turn, ended = manager_turns(), asyncio.Event()

    async def work() -> None:
        async with turn("mine"):
            await ended.wait()

    tasks = [asyncio.create_task(work()) for _ in range(1 + MAX_WAITING)]
    await asyncio.sleep(0)
    with pytest.raises(TooManyBackfillsError, match="of the manager mine wait"):
        await work()
    async with turn("other"):
        ended.set()
    await asyncio.gather(*tasks)


async def test_what_came_outside_of_the_hours_is_not_said_to_have_waited() -> None:
    calm = replace(ASKED.options, hours="Fri 8-9", max_per_day=1)
    asked = replace(ASKED, receiver=Receiver("channel:team"), options=calm)
    found = await Found(TEXTS).of(granted(Register(asked).subscription))
    assert found
    assert all(each.times is not None and each.held is None for each in found)


@pytest.mark.parametrize("how", ["cancelled", "expired"])
def test_the_end_of_a_subscription_that_asked_for_a_backfill_is_passed_on_after_it(
    how: str,
) -> None:
    for asks in (True, False):
        register = Register()
        subscription = register.subscription
        sent = register.sends(Backfill(URL, ME, "2")) if asks else []
        end = Cancel(URL, ME, "3") if how == "cancelled" else Expire(URL, subscription.id, "over")
        sent += register.sends(end)
        passed_on = [send for send in sent if send.topic == HISTORY_REQUESTS.name]
        assert len({send.key for send in passed_on}) == asks, "in one partition, so in order"
        kinds = [type(send.record) for send in passed_on]
        assert kinds == [BackfillGranted, BackfillEnded] * asks
        assert [send.topic for send in sent].count(SUBSCRIPTIONS.name) == 1 + asks


@pytest.mark.parametrize("is_locked", [True, False])
async def test_a_backfill_whose_subscription_ends_before_it_is_done_notifies_nobody(
    is_locked: bool,
) -> None:
    subscription, found = Register().subscription, Found(TEXTS)
    found.may_read.clear()
    found.has_store = not is_locked
    task = asyncio.create_task(found.of(granted(subscription)))
    other = asyncio.create_task(found.of(granted(replace(subscription, id="other")), at=1))
    await asyncio.sleep(0)
    assert await found.of(BackfillEnded(subscription.id), at=2) == []
    found.may_read.set()
    if is_locked:
        for each in (task, other):
            with pytest.raises(OSError, match="the store is locked"):
                await each
        found.has_store = True
        task = asyncio.create_task(found.of(granted(subscription)))
        other = asyncio.create_task(found.of(granted(replace(subscription, id="other")), at=1))
    assert (await task, len(await other)) == ([], 4)
    assert len(await found.of(granted(subscription), at=3)) == 4, "nothing is kept of what is done"
