"""The fetch agent: commands in, visits out."""

import asyncio
from dataclasses import replace
from itertools import pairwise
from typing import Any

import pytest

from schemas.records.answers import PageQuery, Response
from schemas.records.documents import Document
from schemas.records.fetches import Due, FetchDue, Forget
from schemas.records.subscriptions import Options
from streams.agents.fetch import agent as agents
from streams.agents.fetch.agent import FetchProcessor
from streams.agents.fetch.politeness.budgets import VisitBudgets
from streams.agents.fetch.politeness.pace import interval_at, pace_of
from streams.agents.fetch.state.recurring_texts import remembered, text_hash
from streams.values.slots import FURTHEST_MS
from tests.fakes.events import event, no_rows, owned
from tests.fakes.views import views_of
from tests.fakes.world import Scene
from tests.harness.virtual_time import in_virtual_time

A, B = "http://a.test/", "http://b.test/"


def fetch(scene: Scene) -> FetchProcessor:
    return FetchProcessor(scene.effects(), lambda host: 1 if host == "b.test" else 0)


def command(*urls: str, slot: int = 1, watch: str = "w") -> FetchDue:
    return FetchDue(tuple(Due(url, watch, slot * 60_000) for url in urls))


async def handle(agent: FetchProcessor, fact: FetchDue | Forget) -> None:
    outcome = await agent.handle(event(fact), no_rows)
    assert (list(outcome.sends), outcome.puts) == ([], ())


async def test_all_that_is_due_is_fetched_once_a_slot() -> None:
    scene = Scene()
    agent = fetch(scene)
    for url in (A, B):
        scene.web.put(url, "zeus")
    for slot in (1, 1, 2):
        await handle(agent, command(A, B, slot=slot))
    assert sorted(url for url, _, _ in scene.web.requests) == [A, A, B, B]


def test_each_is_fetched_at_its_own_slot() -> None:
    scene = Scene()
    for url in (A, B):
        scene.web.put(url, "zeus")
    due = [Due(url, "w", scene.now + ahead) for url, ahead in ((A, 30), (B, 10))]

    async def fetched() -> None:
        await handle(fetch(scene), FetchDue(tuple(due)))

    # Nothing of it waits for a thread, so that the loop's clock may jump to the next timer.
    scene.read_in_threads = False
    in_virtual_time(fetched())
    assert [url for url, _, _ in scene.web.requests] == [B, A]


@pytest.mark.parametrize(
    ("ahead", "seconds"),
    [
        (-1, 0),
        (0, 0),
        (250, 0.25),
        (FURTHEST_MS, FURTHEST_MS / 1000),
        (FURTHEST_MS + 1, 0),
        (10**9, 0),
    ],
)
async def test_a_clock_that_is_behind_delays_nothing(ahead: int, seconds: float) -> None:
    scene = Scene()
    agent = fetch(scene)
    assert agent.seconds_until_due(Due(A, "w", scene.now + ahead)) == seconds


async def test_what_is_known_of_a_document_is_cached() -> None:
    scene = Scene()
    agent = fetch(scene)
    scene.web.put(A, "zeus", '"1"')
    await handle(agent, command(A))
    scene.store.steps.clear()
    await handle(agent, command(A, slot=2))
    assert scene.web.requests[-1] == (A, '"1"', None)
    assert scene.store.steps == []


async def test_an_assignment_empties_the_cache() -> None:
    scene = Scene()
    agent = fetch(scene)
    scene.web.put(A, "zeus", '"1"')
    await handle(agent, command(A))
    scene.store.documents[A] = Document(A, "w", 120_000, 120_000, text="hera")
    await agent.assigned([owned(0)])
    await handle(agent, command(A, slot=3))
    assert scene.web.requests[-1] == (A, None, None)


async def test_an_assignment_publishes_what_the_previous_owner_could_not() -> None:
    scene = Scene()
    for url in (A, B):
        scene.store.documents[url] = Document(url, "w", 1, 1, unpublished=(url.encode(),))
    await fetch(scene).assigned([owned(0)])
    assert scene.published == [("changes", A, A.encode())]
    assert scene.store.documents[A].unpublished == ()
    assert scene.store.documents[B].unpublished == (B.encode(),)


async def test_a_document_is_forgotten_with_its_own_watch_only() -> None:
    scene = Scene()
    agent = fetch(scene)
    scene.web.put(A, "zeus")
    await handle(agent, command(A))
    await handle(agent, Forget(A, "another"))
    assert A in scene.store.documents
    await handle(agent, Forget(A, "w"))
    assert scene.store.documents == {}


async def test_an_error_of_the_store_is_left_to_the_engine_to_retry() -> None:
    scene = Scene()
    agent = fetch(scene)
    scene.web.put(A, "zeus")

    async def broken(step: str) -> None:
        raise OSError(step)

    scene.store.step = broken
    with pytest.raises(OSError, match="slots"):
        await handle(agent, command(A))
    scene.store.step = Scene().store.step
    await handle(agent, command(A))
    assert scene.store.documents[A].text == "zeus"


async def test_a_slow_host_holds_up_neither_other_hosts_nor_the_command(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(agents, "BUSY_HOST_TIMEOUT_S", 0.01)
    scene = Scene()
    agent = fetch(scene)
    for url in (A, A + "2", B):
        scene.web.put(url, "zeus")
    gate = scene.web.gates[A] = asyncio.Event()
    slow = asyncio.create_task(handle(agent, command(A)))
    await scene.web.asked.wait()
    await handle(agent, command(A + "2", B))
    assert set(scene.store.documents) == {B}
    assert not slow.done()
    gate.set()
    await slow
    await handle(agent, command(A + "2"))
    assert [url for url, _, _ in scene.web.requests] == [A, B, A + "2"]


async def test_a_forget_counts_as_handled_only_when_it_is_done(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(agents, "BUSY_HOST_TIMEOUT_S", 0.01)
    scene = Scene()
    agent = fetch(scene)
    scene.web.put(A, "zeus")
    gate = scene.web.gates[A] = asyncio.Event()
    slow = asyncio.create_task(handle(agent, command(A)))
    await scene.web.asked.wait()
    forgetting = asyncio.create_task(handle(agent, Forget(A, "w")))
    await asyncio.sleep(0.05)
    assert not forgetting.done()
    gate.set()
    await asyncio.gather(slow, forgetting)
    assert A not in scene.store.documents


async def test_a_forget_waits_for_no_host_however_many_are_slow(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(agents, "HOSTS_AT_ONCE", 1)
    scene = Scene()
    agent = fetch(scene)
    for url in (A, A + "2"):
        scene.store.documents[url] = Document(url, "w", 1, 1)
    scene.web.gates[B] = asyncio.Event()
    slow = asyncio.create_task(handle(agent, FetchDue((Due(B, "w", scene.now),))))
    await scene.web.asked.wait()
    waiting = asyncio.create_task(handle(agent, command(A)))
    await asyncio.sleep(0)
    await handle(agent, Forget(A + "2", "w"))
    await handle(agent, Forget(A, "w"))
    assert not scene.store.documents
    await waiting
    assert [url for url, _, _ in scene.web.requests] == [B]
    slow.cancel()
    agent.released()


async def test_a_release_stops_the_visits() -> None:
    scene = Scene()
    agent = fetch(scene)
    scene.web.put(A, "zeus")
    gate = scene.web.gates[A] = asyncio.Event()
    handling = asyncio.create_task(handle(agent, command(A)))
    await scene.web.asked.wait()
    handling.cancel()
    agent.released()
    gate.set()
    await asyncio.sleep(0)
    assert scene.web.at_work == set()
    assert scene.store.documents == {}


async def test_the_time_of_a_visit_is_noted_for_the_listing() -> None:
    scene = Scene()
    agent = fetch(scene)
    scene.web.put(A, "zeus")
    await handle(agent, command(A))
    noted = asyncio.Event()

    async def step(name: str) -> None:
        if name == "record_checks":
            noted.set()

    scene.store.step = step
    notes = asyncio.create_task(agent.notes.write(0))
    await noted.wait()
    notes.cancel()
    assert scene.store.checks == [(A, "w", scene.now)]


async def test_a_failing_page_that_is_left_alone_is_not_noted_as_checked() -> None:
    scene = Scene(backoff=2)
    agent = fetch(scene)
    scene.web.pages[A] = Response(500)
    first = scene.now
    for slot in (1, 2):
        await handle(agent, FetchDue((Due(A, "w", slot * 60_000, interval=60),)))
        scene.now += 60_000
    noted = asyncio.Event()

    async def step(name: str) -> None:
        if name == "record_checks":
            noted.set()

    scene.store.step = step
    notes = asyncio.create_task(agent.notes.write(0))
    await noted.wait()
    notes.cancel()
    assert scene.store.checks == [(A, "w", first)]


def test_what_waits_says_since_when_and_for_what_until_it_is_fetched() -> None:
    scene = Scene()
    scene.read_in_threads = False
    pages = [f"{A}{number}" for number in range(200)]
    for page in pages:
        scene.web.put(page, "zeus")
    effects = scene.effects()
    object.__setattr__(effects, "pause", lambda _: 1.0)

    async def run() -> None:
        loop = asyncio.get_running_loop()
        begun, start = loop.time(), scene.now
        object.__setattr__(effects, "clock", lambda: start + round((loop.time() - begun) * 1000))
        agent = FetchProcessor(effects, lambda _: 0)
        notes = asyncio.create_task(agent.notes.write(5))
        for slot in range(1, 4):
            await handle(agent, command(*pages, slot=slot))
            await asyncio.sleep(50)
        waits = scene.store.waits.values()
        assert 100 < len(waits) < 200, "the others were fetched"
        assert min(wait.since for wait in waits) == start
        assert any("its host is asked for" in wait.reason for wait in waits)
        assert "times as many visits as it can have, one every 1 s" in str(waits)
        assert agent.queues.longest_wait() > 100
        assert agent.queues.highest_load() > 2
        (backlog,) = agent.queues.largest_backlogs(5)
        assert (backlog.host, backlog.manager) == ("a.test", "")
        assert 100 < backlog.pages < 200
        await asyncio.sleep(300)
        assert scene.store.waits == {}
        assert (agent.queues.longest_wait(), agent.queues.highest_load()) == (0.0, 0.0)
        assert agent.queues.largest_backlogs(5) == []
        notes.cancel()

    in_virtual_time(run())


def test_what_is_put_off_says_why_until_it_is_fetched() -> None:
    scene = Scene()
    scene.read_in_threads, scene.is_busy = False, True
    agent = fetch(scene)
    scene.web.put(A, "zeus")

    async def run() -> None:
        notes = asyncio.create_task(agent.notes.write(1))
        await handle(agent, command(A))
        await asyncio.sleep(2)
        assert scene.store.waits[A].reason == "no process was free"
        scene.is_busy = False
        await asyncio.sleep(10)
        assert scene.store.waits == {}
        notes.cancel()

    in_virtual_time(run())
    assert scene.store.documents[A].text == "zeus"


def test_a_page_that_is_forgotten_waits_no_longer_even_if_that_is_noted_late() -> None:
    scene = Scene()
    scene.is_busy = True
    agent = fetch(scene)
    scene.web.put(A, "zeus")

    async def run() -> None:
        notes = asyncio.create_task(agent.notes.write(5))
        await handle(agent, command(A))
        await handle(agent, Forget(A, "w"))
        await asyncio.sleep(6)
        assert scene.store.waits == {}
        notes.cancel()

    in_virtual_time(run())


def test_only_the_time_that_its_host_takes_makes_a_page_slow() -> None:
    scene = Scene()
    scene.read_in_threads = False
    for url in (A, B):
        scene.web.put(url, "zeus")
    effects = scene.effects()
    examine, get = effects.examine, effects.get

    async def examine_late(*arguments: Any) -> Any:
        await asyncio.sleep(20)
        return await examine(*arguments)

    async def get_late(query: PageQuery) -> Response:
        await asyncio.sleep(20 if query.url == B else 0)
        return await get(query)

    object.__setattr__(effects, "examine", examine_late)
    object.__setattr__(effects, "get", get_late)

    async def run() -> None:
        agent = FetchProcessor(effects, lambda _: 0)
        await handle(agent, command(A, B))
        slow_pages = agent.queues._effects.slow_pages
        assert slow_pages.held_until(A) == 0
        assert slow_pages.held_until(B) == 80, "twice 20 s after it was read"

    in_virtual_time(run())


DAY_MS = 86_400_000


def today() -> Scene:
    scene = Scene()
    scene.now = 1_800_000_000_000  # the times of texts are kept from 2024 on
    return scene


def adaptive(slot: int) -> FetchDue:
    due = Due(A, "w", slot * 60_000, interval=60, max_interval=86_400)
    return FetchDue((due,))


async def test_a_page_that_seldom_changes_is_left_out_at_most_slots() -> None:
    scene = today()
    agent = fetch(scene)
    scene.web.put(A, "zeus")
    start = scene.now // 60_000
    for slot in range(start, start + 3 * DAY_MS // 60_000, 10):
        await handle(agent, adaptive(slot))
    # Of 432 slots; the interval grows from 38 minutes to two hours.
    assert 20 < len(scene.web.requests) < 80


async def test_a_page_that_always_changes_is_left_out_less_and_less() -> None:
    scene = today()
    agent = fetch(scene)
    start = scene.now // 60_000
    visits: list[int] = []
    for slot in range(start, start + 400):
        scene.web.put(A, f"zeus {slot}")
        scene.now = slot * 60_000
        before = len(scene.web.requests)
        await handle(agent, adaptive(slot))
        visits += [slot] * (len(scene.web.requests) - before)
    gaps = [later - earlier for earlier, later in pairwise(visits)]
    assert gaps[0] > 10
    assert gaps[-5:] == [1] * 5


async def test_a_page_that_fails_is_left_out_at_no_slot() -> None:
    scene = today()
    agent = fetch(scene)
    scene.web.pages[A] = Response(404)
    start = scene.now // 60_000
    for slot in range(start, start + 5):
        await handle(agent, adaptive(slot))
    assert len(scene.web.requests) == 5


async def test_a_budget_stretches_intervals_up_to_the_longest() -> None:
    visits = []
    for limit in (None, 0.1):
        scene = today()
        budgets = VisitBudgets(of_host=limit)
        agent = FetchProcessor(replace(scene.effects(), budgets=budgets), lambda _: 0)
        scene.web.put(A, "zeus")
        start = scene.now // 60_000
        for slot in range(start, start + 3 * DAY_MS // 60_000, 30):
            await handle(agent, adaptive(slot))
        visits.append(len(scene.web.requests))
    unlimited, limited = visits
    assert 3 <= limited <= 9 < unlimited
    await agent.handle(event(Forget(A, "w")), no_rows)
    assert len(budgets._asked) == 0


async def test_the_longest_interval_is_kept_where_slots_do_not_fall_on_it() -> None:
    scene = today()
    agent = fetch(scene)
    scene.web.put(A, "zeus")
    start, visits = scene.now // 60_000, list[int]()
    for slot in range(start, start + 100, 5):
        due = Due(A, "w", slot * 60_000, interval=300, max_interval=580)
        before = len(scene.web.requests)
        await handle(agent, FetchDue((due,)))
        visits += [slot] * (len(scene.web.requests) - before)
    assert max(later - earlier for earlier, later in pairwise(visits)) * 60 <= 580


async def test_a_page_that_has_no_longest_interval_any_more_is_in_no_budget() -> None:
    scene = today()
    budgets = VisitBudgets(of_host=0.1)
    agent = FetchProcessor(replace(scene.effects(), budgets=budgets), lambda _: 0)
    scene.web.put(A, "zeus")
    start = scene.now // 60_000
    for slot in (start, start + 1):
        await handle(agent, adaptive(slot))
    assert budgets.stretch("a.test") > 1
    await handle(agent, FetchDue((Due(A, "w", (start + 2) * 60_000, interval=60),)))
    assert budgets.stretch("a.test") == 1


@pytest.mark.parametrize("often", [0, 1])
async def test_a_page_asks_for_the_visits_of_the_view_that_changes_most(often: int) -> None:
    scene = today()
    budgets = VisitBudgets(of_host=0.001)
    effects = replace(scene.effects(), budgets=budgets)
    scene.web.put(A, "zeus")
    views = views_of(Options(), Options(content_type="text/plain"))
    due = Due(A, "w", scene.now, views, interval=60, max_interval=86_400)
    await handle(FetchProcessor(effects, lambda _: 0), FetchDue((due,)))
    key, of_view = list(scene.store.documents.items())[often]
    past = b""
    for minute in range(9):
        past, _ = remembered(past, text_hash(str(minute)), scene.now - (9 - minute) * 60_000)
    scene.store.documents[key] = replace(of_view, past=past)
    later = FetchDue((replace(due, slot=due.slot + 1),))
    await handle(FetchProcessor(effects, lambda _: 0), later)
    seconds = interval_at(pace_of(past), due.slot, 60, 86_400)
    assert budgets.stretch("a.test") == pytest.approx(3600 / seconds / 0.001)
