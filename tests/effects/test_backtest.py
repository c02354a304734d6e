"""Backtests on a real store: what is kept, in which limits, and off the event loop."""

import threading
from collections.abc import AsyncIterator, Awaitable, Callable, Iterable
from contextlib import asynccontextmanager
from dataclasses import replace
from itertools import count
from pathlib import Path
from typing import Any

from connectors.api.tried import backtest_json
from connectors.stores.opening import Store, open_store
from schemas.records.changes import DocumentChanged, Region, Texts
from schemas.records.facts import Fact
from schemas.records.failures import DocumentFailing
from schemas.records.requests import Subscribe
from schemas.records.subscription_facts import Subscribed
from schemas.records.subscriptions import Options, Receiver, Subscription
from schemas.records.views import Selector, ViewOptions
from streams.agents.history.backtest import (
    Backtest,
    BacktestEffects,
    BacktestQuery,
    SliceEnd,
    WorkLimits,
    backtest,
    past_notifications,
)
from streams.agents.history.backtest_tally import ListingSize
from streams.effects.backtest import opened_backtests
from streams.settings import Settings
from streams.values.views import watched_view
from tests.fakes.asked import asked_subscription
from tests.fakes.regions import added

URL = "https://example.org/giants"
PART = Options(interval=60, view=ViewOptions(select=(Selector(css="main"),)))


def request_for(*keywords: str, manager: str = "default", **options: Any) -> Subscribe:
    chosen = Options(interval=60, **options)
    return Subscribe(
        URL, Receiver(session="try"), manager=manager, keywords=keywords, options=chosen
    )


def asked(*keywords: str, **more: Any) -> Subscription:
    return asked_subscription(request_for(*keywords, **more))


def begun(request: Subscription, at: int = 1) -> Fact:
    subscription = replace(request, id=request.manager, created=at)
    return Subscribed("r", subscription, URL, None, at)


def change(at: int, *texts: str, view: str = "", **fields: Any) -> DocumentChanged:
    regions: tuple[Region, ...] = tuple(map(added, texts))
    return DocumentChanged(
        f"c{at}", URL, "w", at, 0, "text/html", "en", regions, at, view=view, **fields
    )


@asynccontextmanager
async def kept(folder: Path, facts: Iterable[Fact]) -> AsyncIterator[tuple[Store, BacktestEffects]]:
    store = await open_store(f"sqlite:{folder / 'store.db'}")
    try:
        await store.read_side.record(list(facts))
        async with opened_backtests(Settings(data_dir=folder), store.facts) as effects:
            yield store, replace(effects, oldest=lambda: 0)
    finally:
        await store.close()


async def found(
    folder: Path, facts: Iterable[Fact], request: Subscription, **query: Any
) -> Backtest:
    async with kept(folder, facts) as (_, effects):
        return await backtest(effects, request, BacktestQuery(**query))


def listed(result: Backtest) -> list[str]:
    return [each.notification.change for each in result.tally.listed]


async def test_it_says_when_each_keyword_would_have_been_notified_and_shows_the_newest(
    tmp_path: Path,
) -> None:
    history = [change(10, "Zeus wakes."), change(20, "Hera wakes."), change(30, "Zeus and Hera.")]
    facts = [begun(asked("x")), *history]
    result = await found(tmp_path, facts, asked("zeus", "hera", "io", ignore_case=True), listed=1)
    shown = backtest_json(past_notifications(result))
    (notification,) = shown.pop("notifications")
    assert notification["change"] == "c30"
    assert [(each["keyword"], each["text"]) for each in notification["diffs"]] == [
        ("zeus", "Zeus and Hera."),
        ("hera", "Zeus and Hera."),
    ]
    assert shown == {
        "since": "1970-01-01T00:00:00.001Z",
        "until": None,
        "changes": 3,
        "withoutTexts": 0,
        "dropped": 0,
        "waiting": 0,
        "held": 0,
        "total": 3,
        "keywords": [
            {"keyword": "zeus", "total": 2, "last": "1970-01-01T00:00:00.030Z"},
            {"keyword": "hera", "total": 2, "last": "1970-01-01T00:00:00.030Z"},
        ],
        "stopped": None,
        "next": "30-c30",
    }


async def test_all_notifications_are_listed_page_by_page(tmp_path: Path) -> None:
    facts = [begun(asked("x")), *(change(at, "Zeus." if at % 3 else "Io.") for at in range(2, 20))]
    async with kept(tmp_path, facts) as (_, effects):
        pages: list[list[str]] = []
        after = None
        while after is not None or not pages:
            query = BacktestQuery(after=after, listed=5, limits=WorkLimits(changes=7))
            result = await backtest(effects, asked("Zeus"), query)
            pages.append(listed(result))
            after = result.next
    assert [len(page) <= 5 for page in pages] == [True] * len(pages)
    every = [each for page in pages for each in page]
    assert every == [f"c{at}" for at in range(19, 1, -1) if at % 3]


async def test_only_the_history_of_the_same_view_of_the_same_manager_counts(
    tmp_path: Path,
) -> None:
    view = watched_view(PART, "default").id
    part = asked_subscription(replace(request_for("Zeus"), options=PART))
    facts = [
        begun(replace(part, manager="other")),
        begun(asked("x")),
        change(5, "Zeus.", view=view),
    ]
    async with kept(tmp_path, facts) as (store, effects):
        without = await backtest(effects, part, BacktestQuery())
        assert (without.history, without.tally.changes) == (None, 0)
        assert backtest_json(past_notifications(without))["since"] is None
        assert listed(await backtest(effects, asked("Zeus"), BacktestQuery())) == []
        await store.read_side.record([begun(replace(part, manager="mine"), at=2)])
        mine = await backtest(effects, replace(part, manager="mine"), BacktestQuery())
        assert listed(mine) == ["c5"]


async def test_changes_before_the_time_that_is_asked_for_or_kept_are_left(tmp_path: Path) -> None:
    facts = [begun(asked("x")), *(change(at, "Zeus.") for at in (10, 20, 30))]
    async with kept(tmp_path, facts) as (_, effects):
        result = await backtest(effects, asked("Zeus"), BacktestQuery(since=20))
        assert (listed(result), result.since) == (["c30", "c20"], 20)
        short = replace(effects, oldest=lambda: 30)
        assert listed(await backtest(short, asked("Zeus"), BacktestQuery(since=20))) == ["c30"]


async def test_failures_in_between_are_no_changes(tmp_path: Path) -> None:
    failing = DocumentFailing("f", URL, "w", 15, "", "HTTP 500", 15)
    facts = [begun(asked("x")), change(10, "Zeus."), failing, change(20, "Io.")]
    result = await found(tmp_path, facts, asked("Zeus", notify_failures=True))
    assert (result.tally.changes, listed(result)) == (2, ["c10"])


async def test_changes_without_the_texts_that_the_scope_needs_are_counted(tmp_path: Path) -> None:
    texts = Texts("Io.", "Io. Zeus.")
    facts = [begun(asked("x")), change(10, "Zeus."), change(20, "Zeus.", texts=texts)]
    result = await found(tmp_path, facts, asked("Io", scope="document"))
    assert (listed(result), result.tally.without_texts) == (["c20"], 1)


async def test_it_stops_after_so_many_changes_and_says_where(tmp_path: Path) -> None:
    facts = [begun(asked("x")), *(change(at, "Zeus.") for at in range(10, 20))]
    result = await found(tmp_path, facts, asked("Io"), limits=WorkLimits(changes=4))
    assert (result.stopped, result.tally.changes) == ("changes", 4)
    assert (result.since, result.next) == (16, "16-c16")
    whole = await found(tmp_path, [], asked("Io"), limits=WorkLimits(changes=10))
    assert (whole.stopped, whole.next) == ("", None)


async def test_it_stops_when_its_cpu_time_is_over_but_not_within_a_change(tmp_path: Path) -> None:
    facts = [begun(asked("x")), *(change(at, *["Zeus."] * 5) for at in range(10, 20))]
    async with kept(tmp_path, facts) as (_, effects):
        ticks = count()
        slow = replace(effects, cpu=lambda: float(next(ticks)))
        query = BacktestQuery(limits=WorkLimits(cpu_s=0.5))
        first = await backtest(slow, asked("Zeus"), query)
        assert (first.stopped, listed(first), first.next) == ("time", ["c19"], "19-c19")
        rest = await backtest(slow, asked("Zeus"), replace(query, after=first.next))
        assert listed(rest) == ["c18"]


async def test_a_large_history_is_matched_in_slices_of_a_thread(tmp_path: Path) -> None:
    facts = [begun(asked("x")), *(change(at, "Zeus sleeps. " * 20) for at in range(10, 40))]
    threads: set[str] = set()
    slices: list[SliceEnd] = []

    def noting(
        compute: Callable[[Callable[[], SliceEnd]], Awaitable[SliceEnd]],
    ) -> Callable[[Callable[[], SliceEnd]], Awaitable[SliceEnd]]:
        async def noted(work: Callable[[], SliceEnd]) -> SliceEnd:
            def in_thread() -> SliceEnd:
                threads.add(threading.current_thread().name)
                return work()

            slices.append(await compute(in_thread))
            return slices[-1]

        return noted

    async with kept(tmp_path, facts) as (_, effects):
        ticks = count()
        watched = replace(effects, compute=noting(effects.compute), cpu=lambda: next(ticks) * 0.01)
        result = await backtest(watched, asked("Zeus"), BacktestQuery(limits=WorkLimits(cpu_s=1e9)))
    assert result.tally.notifications == 30
    assert len(slices) > 10
    assert {name.startswith("backtest") for name in threads} == {True}


async def test_what_is_listed_has_a_bound_and_the_rest_a_cursor(tmp_path: Path) -> None:
    listing = ListingSize(diffs=2, characters=1_500)
    rows = "Zeus sleeps.", "Io, Zeus.", "Zeus, Hera."
    facts = [begun(asked("x")), *(change(at, *rows) for at in range(10, 20))]
    async with kept(tmp_path, facts) as (_, effects):
        result = await backtest(effects, asked("Zeus"), BacktestQuery(listing=listing))
        first, *others = backtest_json(past_notifications(result))["notifications"]
        assert (len(first["diffs"]), first["moreDiffs"]) == (2, 1)
        assert len(others) < 9
        assert result.tally.notifications == 10
        rest = await backtest(
            effects, asked("Zeus"), BacktestQuery(after=result.next, listing=listing)
        )
        assert listed(rest)[0] == f"c{18 - len(others)}"
