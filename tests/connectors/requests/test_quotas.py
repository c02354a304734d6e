"""Quotas of subscriptions, however many are asked for at once and however late the count is."""

import asyncio
from collections.abc import Collection
from contextlib import AsyncExitStack

import pytest
from hypothesis import given
from hypothesis import strategies as st

from connectors.requests.quotas import (
    MOST_REMEMBERED,
    REMEMBERED_S,
    UNANSWERED_S,
    Held,
    QuotaExceeded,
    Quotas,
)
from schemas.records.subscription_facts import Cancelled, Expired, Rejected, Subscribed
from schemas.records.subscriptions import Receiver
from tests.fakes.subscriptions import URL, subscription

WHO = "default"


class Store:
    """A read side that sees a subscription only when a test says so."""

    def __init__(self) -> None:
        self.active: set[str] = set()
        self.now = 0.0
        self.gate = asyncio.Event()
        self.gate.set()

    async def count(self, manager: str, without: Collection[str]) -> int:
        await self.gate.wait()
        return len(self.active - set(without)) if manager == WHO else 0

    def quotas(self) -> Quotas:
        return Quotas(self.count, self.find, lambda: self.now)

    async def find(self, manager: str, url: str, receiver: Receiver, name: str) -> str | None:
        held = (key for key in self.active if subscription(key).receiver == receiver)
        return next(held, None) if (manager, url, name) == (WHO, URL, "") else None


def subscribed(key: str) -> Subscribed:
    return Subscribed(f"asks for {key}", subscription(key), URL, None, 1)


def held(key: str) -> Held:
    return URL, subscription(key).receiver, ""


def cancelled(key: str) -> Cancelled:
    return Cancelled("r", key, WHO, URL, None, 1)


async def subscribe(quotas: Quotas, key: str, quota: int = 3) -> bool:
    """Ask for a subscription, which the register grants; return whether it was admitted."""
    try:
        async with quotas.admitted(WHO, quota, f"asks for {key}", held(key)):
            await asyncio.sleep(0)
            quotas.note(subscribed(key))
    except QuotaExceeded:
        return False
    return True


async def test_of_two_hundred_that_come_at_once_as_many_are_admitted_as_the_quota_allows() -> None:
    store = Store()
    store.gate.clear()
    quotas = store.quotas()
    asked = [asyncio.create_task(subscribe(quotas, f"s{number}")) for number in range(200)]
    await asyncio.sleep(0)
    store.gate.set()
    assert sum(await asyncio.gather(*asked)) == 3


async def test_what_was_granted_counts_before_the_store_has_it_and_once_it_has_it() -> None:
    store = Store()
    quotas = store.quotas()
    for key in "abc":
        assert await subscribe(quotas, key)
    assert not await subscribe(quotas, "d")
    store.active = set("abc")
    assert not await subscribe(quotas, "d")
    quotas.note(cancelled("a"))
    assert await subscribe(quotas, "d"), "its end is known before the store has it"
    quotas.note(Expired("b", WHO, "gone", URL, None, 1))
    assert await subscribe(quotas, "e")
    assert not await subscribe(quotas, "f")


async def test_subscriptions_that_others_made_by_topic_count_at_once() -> None:
    store = Store()
    quotas = store.quotas()
    assert await subscribe(quotas, "a")
    for key in "bc":
        quotas.note(subscribed(key))
    assert not await subscribe(quotas, "d")


async def unanswered(quotas: Quotas, request_id: str) -> None:
    with pytest.raises(TimeoutError):
        async with quotas.admitted(WHO, 1, request_id, held(request_id)):
            raise TimeoutError


async def test_a_request_that_nobody_has_answered_counts_until_its_answer_comes() -> None:
    store = Store()
    quotas = store.quotas()
    await unanswered(quotas, "late")
    await unanswered(quotas, "late")
    assert not await subscribe(quotas, "a", quota=1), "it may still be granted"
    quotas.note(Rejected("late", "other", 5, "", URL, None, 1))
    assert not await subscribe(quotas, "a", quota=1), "that answered another manager"
    quotas.note(Rejected("late", WHO, 5, "", URL, None, 1))
    await unanswered(quotas, "lost")
    store.now += UNANSWERED_S
    assert await subscribe(quotas, "a", quota=1)


async def test_a_refused_request_takes_no_place() -> None:
    quotas = Store().quotas()
    for number in range(10):
        async with quotas.admitted(WHO, 1, f"{number}", held("r")):
            pass  # answered: Rejected
    assert await subscribe(quotas, "a", quota=1)


async def test_a_full_quota_admits_what_renews_or_repeats_a_subscription_and_nothing_new() -> None:
    store = Store()
    quotas = store.quotas()
    assert [await subscribe(quotas, key, quota=2) for key in "ab"] == [True, True]
    assert await subscribe(quotas, "a", quota=2), "known before the store has it"
    store.active = set("ab")
    restarted = store.quotas()
    assert await subscribe(restarted, "a", quota=2)
    async with restarted.admitted(WHO, 2, "renews", held("b")):
        restarted.note(cancelled("b"))
        assert not await subscribe(restarted, "c", quota=2), "b may begin again"
    assert not await subscribe(restarted, "c", quota=1)
    assert await subscribe(restarted, "c", quota=2)
    assert not await subscribe(restarted, "b", quota=2), "it has ended, whatever the store says"


async def test_a_full_quota_admits_no_second_subscription_of_a_receiver_by_another_name() -> None:
    quotas, named = Store().quotas(), (*held("a")[:2], "in stock")
    assert await subscribe(quotas, "a", quota=1)
    with pytest.raises(QuotaExceeded):
        async with quotas.admitted(WHO, 1, "r", named):
            pass
    renamed = subscription("a", name="in stock")
    quotas.note(Subscribed("n", renamed, URL, None, 1))
    async with quotas.admitted(WHO, 1, "r", named):
        pass  # it may be replaced


async def test_no_manager_takes_the_quota_of_another() -> None:
    quotas = Store().quotas()
    async with AsyncExitStack() as stack:
        for number in range(3):
            await stack.enter_async_context(quotas.admitted("other", 3, f"{number}", held("r")))
        assert await subscribe(quotas, "a")


async def test_what_is_remembered_is_bounded_in_time_and_number() -> None:
    store = Store()
    quotas = store.quotas()
    await subscribe(quotas, "first", quota=10**6)
    for number in range(2 * MOST_REMEMBERED):
        quotas.note(cancelled(f"s{number}"))
        quotas.note(Subscribed("r", subscription("s", manager="unlimited"), URL, None, 1))
    assert {manager: len(each.recent) for manager, each in quotas._accounts.items()} == {
        WHO: MOST_REMEMBERED
    }
    store.now = REMEMBERED_S + 1
    quotas.note(cancelled("last"))
    assert len(quotas._accounts[WHO].recent) == 1


steps = st.lists(st.tuples(st.sampled_from(("ask", "end", "record")), st.integers(0, 9)))


@given(steps, st.integers(1, 4))
def test_whenever_the_store_hears_of_it_no_more_are_active_than_the_quota_allows(
    course: list[tuple[str, int]], quota: int
) -> None:
    asyncio.run(_live(course, quota))


async def _live(course: list[tuple[str, int]], quota: int) -> None:
    store, active = Store(), set[str]()
    quotas = store.quotas()
    for step, number in course:
        key = f"s{number}"
        if step == "record":
            store.active = set(active)
        elif step == "end" and key in active:
            active.remove(key)
            quotas.note(cancelled(key))
        elif step == "ask" and key not in active:
            is_admitted = await subscribe(quotas, key, quota)
            assert is_admitted == (len(active) < quota)
            if is_admitted:
                active.add(key)
