"""Visits that clients ask for: no failure postpones them, and their server is left alone."""

import asyncio

from schemas.records.answers import Response
from schemas.records.documents import PageWait
from schemas.records.fetches import Due, FetchDue
from schemas.records.page_requests import PLAIN_REQUEST
from streams.agents.fetch.agent import FetchProcessor
from streams.agents.fetch.host_queues import HostQueues
from streams.agents.fetch.part_visits import PartVisits
from tests.fakes.events import event, no_rows
from tests.fakes.world import Scene
from tests.harness.virtual_time import in_virtual_time

URL, OTHER = "http://a.test/", "http://a.test/other"
MINUTE = 60_000


def due(slot: int, interval: int | None, url: str = URL) -> Due:
    return Due(url, "w", slot * MINUTE, interval=interval)


def regular(slot: int) -> Due:
    return due(slot, 60)


def asked(slot: int) -> Due:
    return due(slot, None)


async def handle(agent: FetchProcessor, *several: Due) -> None:
    for each in several:
        await agent.handle(event(FetchDue((each,))), no_rows)


async def test_after_an_outage_one_check_is_enough() -> None:
    scene = Scene(max_failures=100, backoff=2)
    agent = FetchProcessor(scene.effects(), lambda _: 0)
    scene.web.variants[URL, PLAIN_REQUEST] = Response(500)
    await handle(agent, *map(regular, range(1, 100)))
    during = len(scene.web.requests)
    scene.web.variants[URL, PLAIN_REQUEST] = Response(200, b"zeus", "text/plain")
    await handle(agent, regular(100))
    assert len(scene.web.requests) == during, "the interval is long by now"
    await handle(agent, asked(101), regular(102))
    assert len(scene.web.requests) == during + 2


async def visited(*waiting: Due) -> list[Due]:
    """Return the visits to a page that was commanded so often while its host was busy."""
    made: list[Due] = []

    async def visit(work: Due) -> float:
        made.append(work)
        await asyncio.sleep(10)
        return 10.0

    parts = PartVisits(HostQueues(visit, 10), lambda _: None)
    for each in (due(1, 60, OTHER), *waiting):
        parts.add(each)
        await asyncio.sleep(1)
    await asyncio.sleep(100)
    return made[1:]


def test_one_that_waits_for_its_host_is_not_postponed_by_another_command() -> None:
    assert in_virtual_time(visited(asked(2), regular(3))) == [asked(3)]
    assert in_virtual_time(visited(regular(3), asked(2))) == [asked(3)]
    assert in_virtual_time(visited(regular(2), regular(3))) == [regular(3)]


def test_a_check_is_made_when_its_server_has_been_left_alone_long_enough() -> None:
    scene = Scene()
    scene.read_in_threads = False
    scene.web.put(URL, "zeus")
    effects = scene.effects()
    agent = FetchProcessor(effects, lambda _: 0)

    async def run() -> tuple[int, PageWait, int]:
        await handle(agent, regular(1))
        scene.web.variants[URL, PLAIN_REQUEST] = Response(429, retry_after=120)
        await handle(agent, regular(2))
        notes = asyncio.create_task(agent.notes.write(1))
        await handle(agent, asked(3))
        await asyncio.sleep(100)
        early = len(scene.web.requests), scene.store.waits[URL]
        scene.now += 120_000
        await asyncio.sleep(300)
        notes.cancel()
        return *early, len(scene.web.requests)

    early, wait, late = in_virtual_time(run())
    assert (early, late) == (2, 3)
    assert wait.reason.startswith("its server asks to be left alone until ")
