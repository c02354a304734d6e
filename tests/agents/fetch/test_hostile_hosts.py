"""The fetch agent among hundreds of hostile hosts, over real connections."""

import asyncio
import resource
import time
from collections.abc import Iterable, Iterator, Sequence
from contextlib import AsyncExitStack
from dataclasses import dataclass, field
from itertools import chain, cycle, islice

import pytest
from aiohttp import web

from connectors.http.egress import EgressGuard
from connectors.http.errors import FetchFailed
from connectors.http.fetcher import Fetcher, Politeness
from connectors.http.limits import Limits
from connectors.processes.documents import DocumentProcesses
from connectors.processes.errors import TooHard
from schemas.records.answers import Reading
from schemas.records.egress_policy import EgressPolicy
from schemas.records.fetches import Due, FetchDue
from schemas.records.views import View
from streams.agents.fetch.agent import FetchProcessor
from streams.agents.fetch.effects import Effects
from streams.agents.fetch.examining import Work, examine
from streams.agents.fetch.fetched_page import FetchedPage
from streams.agents.fetch.reading_queue import ReadingQueue
from streams.effects.fetch import PRELOADED
from streams.values.outcome import Send
from tests.fakes.events import event, no_rows
from tests.fakes.linking import linking
from tests.fakes.snapshots import MemorySnapshots
from tests.fakes.world import Outcomes
from tests.harness.hostile import OK, SLOWLY, Answer, Hostile
from tests.harness.waiting import TIMEOUT_S, until
from tests.harness.web import served

LONG = 600.0
HARD = b"hard"
FILES = 4_000


def nothing() -> None:
    """Prepare nothing."""


def read(body: bytes, header: str | None, views: Sequence[View], url: str) -> list[Reading]:
    """Never finish a page that was made to be hard."""
    if body == HARD:
        time.sleep(LONG)
    return [Reading(body.decode(), "text/plain")] * len(views)


def hard() -> Iterator[bytes]:
    return iter((OK, b"Content-Length: 4\r\n\r\n" + HARD))


@dataclass
class Worker:
    """A fetch agent in which everything is real except store and topic."""

    fetcher: Fetcher
    processes: DocumentProcesses
    store: MemorySnapshots = field(default_factory=MemorySnapshots)

    def __post_init__(self) -> None:
        self.queue = ReadingQueue(self.processes.call_each, 2, LONG)
        self.agent = FetchProcessor(self._effects(), lambda _: 0)

    async def fetch(self, urls: Iterable[str], slot: int) -> None:
        due = tuple(Due(url, "w", slot * 60_000) for url in urls)
        await self.agent.handle(event(FetchDue(due)), no_rows)

    def _effects(self) -> Effects:
        return Effects(
            snapshots=self.store,
            get=self.fetcher.get,
            examine=self._examine,
            links=linking,
            failures=(FetchFailed, TooHard),
            publish=_unheard,
            clock=lambda: 1_000_000,
            pause=lambda _: 0.0,
            max_failures=10,
            pause_ms=lambda *_: 0,
        )

    async def _examine(self, works: Sequence[Work], fetched: FetchedPage) -> Outcomes:
        size = len(fetched.response.body)
        return await self.queue.read(works[0][1], size, examine, read, works, fetched)


async def _unheard(sends: Iterable[Send]) -> None:
    list(sends)


@pytest.fixture
def many_files() -> Iterator[None]:
    """Three for each hostile host: its socket, and both ends of a connection."""
    known = resource.getrlimit(resource.RLIMIT_NOFILE)
    wanted = FILES if known[1] == resource.RLIM_INFINITY else min(FILES, known[1])
    resource.setrlimit(resource.RLIMIT_NOFILE, (max(wanted, known[0]), known[1]))
    yield
    resource.setrlimit(resource.RLIMIT_NOFILE, known)


@pytest.mark.long
async def test_500_hostile_hosts_hold_up_none_of_50_others(
    many_files: None, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("streams.agents.fetch.reading_queue.FREE_PROCESS_TIMEOUT_S", LONG)
    texts: dict[int, int] = {}

    async def page(request: web.Request) -> web.Response:
        port = request.url.port or 0
        texts[port] = texts.get(port, 0) + 1
        return web.Response(text=f"zeus {texts[port]}")

    async with AsyncExitStack() as stack:
        policy = EgressPolicy(["127.0.0.0/8"])
        limits = Limits(connect=LONG, total=LONG)
        fetcher = Fetcher(EgressGuard(policy), Politeness(obeys_robots=False), limits)
        worker = Worker(
            await stack.enter_async_context(fetcher),
            await stack.enter_async_context(DocumentProcesses(2, LONG, PRELOADED, nothing)),
        )
        healthy = [f"{url}/" for url in await stack.enter_async_context(served(page, 50))]
        await worker.fetch(healthy, 1)

        kinds: Iterable[Answer] = chain(SLOWLY.values(), (hard,))
        servers = [Hostile(answer) for answer in islice(cycle(kinds), 500)]
        urls = [await stack.enter_async_context(server.serving()) for server in servers]
        hostile = [asyncio.create_task(worker.fetch([url], 1)) for url in urls]
        async with asyncio.timeout(TIMEOUT_S):
            await asyncio.gather(*(server.asked.wait() for server in servers))
        await until(lambda: len(worker.queue._waiting) > 0, "hard pages are being read")
        for slot in (2, 3):
            await worker.fetch(healthy, slot)
            assert {worker.store.documents[url].slot for url in healthy} == {slot * 60_000}
            assert {worker.store.documents[url].text for url in healthy} == {f"zeus {slot}"}
        assert not any(task.done() for task in hostile)

        worker.agent.released()
        for task in hostile:
            task.cancel()
        await asyncio.gather(*hostile, return_exceptions=True)
