"""How late 50 documents are fetched next to 500 hostile servers: ``python -m bench.hostile``.

The agent, the fetcher with its usual limits and the processes that read are those of a
worker; only store and topic are in memory. The servers are two processes, kind and hostile,
with their share of the same cores.
"""

import asyncio
import multiprocessing
import resource
import sys
from collections.abc import Iterable, Sequence
from contextlib import AsyncExitStack
from functools import partial
from itertools import cycle, islice
from multiprocessing.connection import Connection
from statistics import median
from time import monotonic

import structlog
import uvloop
from aiohttp import web

from connectors.http.egress import EgressGuard
from connectors.http.errors import FetchFailed
from connectors.http.fetcher import Fetcher, Politeness
from connectors.processes.documents import DocumentProcesses
from connectors.processes.errors import Interrupted, TooHard
from connectors.readers import Unreadable
from connectors.readers.reading import read_with_plugins
from schemas.records.documents import Document
from schemas.records.egress_policy import EgressPolicy
from schemas.records.fetches import Due, FetchDue
from streams.agents.fetch.agent import FetchProcessor
from streams.agents.fetch.effects import Effects
from streams.agents.fetch.examining import TooLarge, Work, examine
from streams.agents.fetch.fetched_page import FetchedPage
from streams.agents.fetch.postponed import Postponed
from streams.agents.fetch.reading_queue import ReadingQueue
from streams.values.outcome import Send
from tests.fakes.events import event, no_rows
from tests.fakes.linking import linking
from tests.fakes.snapshots import MemorySnapshots
from tests.harness.hostile import OK, QUICK, SLOWLY, Answer, Hostile, packed
from tests.harness.web import served

HEALTHY, HOSTILE = 50, 500
INTERVAL = 5
HOSTILE_INTERVAL = 60
ROUNDS = 18
FILES = 10_000
TICK = 0.01
PROCESSES, PARSE_TIMEOUT = 2, 5.0
PRELOADED = ("connectors.readers.reading", examine.__module__)
HARD = (b"<div>" * 40_000, b"<b><i>" * 400_000, b"<p " + b"a%d " * 40_000 % (*range(40_000),))


def answers() -> Iterable[Answer]:
    """Return every kind of hostile server in turn."""
    bombs = [packed(encoding) for encoding in ("gzip", "deflate", "br", "zstd")]
    quick = [answer for answer, _ in QUICK.values()]
    return cycle([*SLOWLY.values(), *quick, *bombs, *map(_hard, HARD)])


def _hard(body: bytes) -> Answer:
    head = b"Content-Type: text/html\r\nContent-Length: %d\r\n\r\n" % len(body)
    return lambda: iter((OK, head, body))


def serve(pipe: Connection, are_hostile: bool) -> None:
    """Run servers in this process: send their URLs, and end when the pipe is answered."""
    _many_files()
    asyncio.run(_serve(pipe, are_hostile))


async def _serve(pipe: Connection, are_hostile: bool) -> None:
    async with AsyncExitStack() as stack:
        if are_hostile:
            servers = [Hostile(answer).serving() for answer in islice(answers(), HOSTILE)]
            urls = [await stack.enter_async_context(server) for server in servers]
        else:
            urls = [f"{url}/" for url in await stack.enter_async_context(served(_page, HEALTHY))]
        pipe.send(urls)
        await asyncio.to_thread(pipe.recv)


async def _page(_: web.Request) -> web.Response:
    """Return a page that differs each time."""
    return web.Response(text=f"zeus {monotonic()} " + "argus panoptes " * 2_000)


def _many_files() -> None:
    hard = resource.getrlimit(resource.RLIMIT_NOFILE)[1]
    resource.setrlimit(resource.RLIMIT_NOFILE, (min(FILES, hard) if hard > 0 else FILES, hard))


class Bench:
    """A fetch agent, and when each document was due and was fetched."""

    def __init__(self, fetcher: Fetcher, processes: DocumentProcesses) -> None:
        self._queue = ReadingQueue(processes.call_each, PROCESSES, PARSE_TIMEOUT)
        self._store = MemorySnapshots()
        self._tasks: set[asyncio.Task[None]] = set()
        self._began: dict[tuple[str, int], float] = {}
        self.late: list[float] = []
        self.gap = 0.0
        self._healthy: set[str] = set()
        effects = Effects(
            snapshots=self._store,
            get=fetcher.get,
            examine=self._examine,
            links=linking,
            failures=(FetchFailed, Unreadable, TooHard, TooLarge),
            publish=_unheard,
            clock=lambda: 1_000_000,
            pause=lambda _: 0.0,
            max_failures=10_000,
            pause_ms=lambda *_: 0,
        )
        self._agent = FetchProcessor(effects, lambda _: 0)

    async def run(self, healthy: list[str], hostile: list[str]) -> None:
        """Command what is due for some rounds, evenly spread as the ticker does."""
        self._healthy = set(healthy)
        ticking = asyncio.create_task(self._tick())
        await self._visit(healthy, 1)
        self.late.clear()
        self._command(hostile, 1)
        begun = monotonic()
        for step in range(ROUNDS * INTERVAL):
            await asyncio.sleep(begun + step - monotonic())
            slot = 2 + step // INTERVAL
            self._command(healthy[step % INTERVAL :: INTERVAL], slot)
            self._command(hostile[step % HOSTILE_INTERVAL :: HOSTILE_INTERVAL], 2 + step)
        await asyncio.sleep(INTERVAL)
        ticking.cancel()
        self._agent.released()
        for task in self._tasks:
            task.cancel()

    def _command(self, urls: list[str], slot: int) -> None:
        if urls:
            task = asyncio.create_task(self._visit(urls, slot))
            self._tasks.add(task)
            task.add_done_callback(self._tasks.discard)

    async def _visit(self, urls: list[str], slot: int) -> None:
        self._began |= {(url, slot): monotonic() for url in urls}
        due = tuple(Due(url, "w", slot) for url in urls)
        await self._agent.handle(event(FetchDue(due)), no_rows)

    async def _tick(self) -> None:
        while True:
            begun = monotonic()
            await asyncio.sleep(TICK)
            self.gap = max(self.gap, monotonic() - begun - TICK)

    async def _examine(
        self, works: Sequence[Work], fetched: FetchedPage
    ) -> Sequence[Document | Exception]:
        reader = partial(read_with_plugins, "nowhere")
        due, size = works[0][1], len(fetched.response.body)
        try:
            after = await self._queue.read(due, size, examine, reader, works, fetched)
        except Interrupted as error:
            raise Postponed(str(error)) from error
        if due.url in self._healthy:
            self.late.append(monotonic() - self._began[due.url, due.slot])
        return after


async def _unheard(sends: Iterable[Send]) -> None:
    list(sends)


def nothing() -> None:
    """Prepare nothing."""


async def measured(healthy: list[str], hostile: list[str]) -> None:
    """Print one line."""
    fetcher = Fetcher(EgressGuard(EgressPolicy(["127.0.0.0/8"])), Politeness(obeys_robots=False))
    async with (
        fetcher,
        DocumentProcesses(PROCESSES, PARSE_TIMEOUT, PRELOADED, nothing) as processes,
    ):
        bench = Bench(fetcher, processes)
        await bench.run(healthy, hostile)
    size = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    size *= 1 if sys.platform == "darwin" else 1024
    expected = HEALTHY * ROUNDS
    late = [seconds * 1000 for seconds in bench.late] or [float("inf")]
    print(
        f"| {len(hostile)} | {len(bench.late)} of {expected} | {median(late):.0f} "
        f"| {max(late):.0f} | {bench.gap * 1000:.0f} | {size / 1e6:.0f} |",
        flush=True,
    )


def main() -> None:
    """Measure without and with the hostile servers."""
    _many_files()
    structlog.configure(wrapper_class=structlog.make_filtering_bound_logger(50))
    context = multiprocessing.get_context("spawn")
    pipes = []
    for are_hostile in (False, True):
        ours, theirs = context.Pipe()
        context.Process(target=serve, args=(theirs, are_hostile), daemon=True).start()
        pipes.append(ours)
    healthy, hostile = (pipe.recv() for pipe in pipes)
    print("| hostile servers | visits | late p50 ms | late max ms | loop stood ms | peak MB |")
    print("|---|---|---|---|---|---|", flush=True)
    groups: tuple[list[str], ...] = ([], hostile)
    for others in groups:
        with asyncio.Runner(loop_factory=uvloop.new_event_loop) as runner:
            runner.run(measured(healthy, others))
    for pipe in pipes:
        pipe.send(None)


if __name__ == "__main__":
    main()
