"""Processes that may be killed: what they do with pages that were made to be hard."""

import asyncio
import multiprocessing.forkserver
import os
import signal
import subprocess
import sys
import time
from collections.abc import AsyncIterator, Awaitable, Callable, Coroutine, Iterator, Sequence
from contextlib import suppress
from functools import partial
from pathlib import Path
from typing import Any

import pytest

from connectors.processes.child import ChildLimits
from connectors.processes.documents import MEMORY_LIMIT, WALL_FACTOR, DocumentProcesses
from connectors.processes.errors import Interrupted, ProcessEnded, TooHard
from connectors.processes.pool import ProcessPool
from connectors.readers import Unreadable
from connectors.readers.reading import read_with_plugins
from schemas.records.answers import Response
from schemas.records.views import View, WatchedView
from streams.agents.fetch.due_view import DueView
from streams.agents.fetch.examining import TooLarge, examine
from streams.agents.fetch.fetched_page import FetchedPage
from streams.agents.fetch.reading_queue import Call, Called, ReadingQueue
from streams.effects.fetch import PRELOADED
from tests.fakes.works import (
    asleep,
    at_work,
    ended,
    hungry,
    killed,
    killed_once,
    left,
    nothing,
    refused,
    that_does_not_end,
    that_hangs_up,
    that_lies,
    untransportable,
    with_environment,
)
from tests.harness.examples import NEW
from tests.harness.family import alive, descendants
from tests.harness.waiting import TIMEOUT_S, until

HERE = Path(__file__).parents[3]
NOWHERE = str(HERE / "nowhere")
LONG = 600.0
SHORT = 0.5
NO_PARSERS = ("connectors.plain_structlog",)
"""Preloaded where the fork server starts again and no page is read: all parsers take 1.5 s."""
DEEP = {
    "nested elements": b"<div>" * 40_000,
    "elements across each other": b"<b><i>" * 400_000,
    "attributes": b"<p " + b" ".join(b"a%d" % number for number in range(40_000)) + b">",
    "very nested elements": b"<div>" * 100_000,
    "nested tables": b"<table><tr><td>" * 40_000,
    "nested XML": b"<?xml version='1.0'?>" + b"<a>" * 400_000,
    "nested JSON": b"[" * 400_000,
    "nested quotes": b">" * 100_000 + b"a",
    "brackets": b"[" * 400_000,
}
BRIEF = {"nested elements", "nested XML", "nested JSON", "nested quotes"}
"""One of each kind of page."""
KINDS = {"nested XML": "text/xml", "nested JSON": "application/json"} | dict.fromkeys(
    ("nested quotes", "brackets"), "text/markdown"
)


def pool(
    processes: int = 1, seconds: float = LONG, preload: Sequence[str] = PRELOADED
) -> DocumentProcesses:
    return DocumentProcesses(processes, seconds, preload, nothing)


@pytest.fixture(scope="module", autouse=True)
def preloaded_for_others() -> Iterator[None]:
    """Leave no fork server that has preloaded less than tests of other files expect."""
    yield
    server: Any = multiprocessing.forkserver._forkserver
    server._stop()


def allow(processes: DocumentProcesses, seconds: float) -> None:
    """Allow each page so much time from now on: a test that must not depend on it allows much."""
    processes.limits = ChildLimits(seconds, seconds * WALL_FACTOR, MEMORY_LIMIT, MEMORY_LIMIT)


async def run(
    processes: DocumentProcesses, function: Callable[..., Any], *arguments: object
) -> Any:
    result, _ = await processes.call(function, arguments)
    return result


async def undisturbed(work: Callable[[], Awaitable[Any]]) -> Any:
    """Repeat what a busy machine interrupts, for that says nothing about the work."""
    while True:
        with suppress(Interrupted):
            return await work()


@pytest.fixture
async def one() -> AsyncIterator[DocumentProcesses]:
    """One process."""
    async with pool() as processes:
        yield processes


async def test_a_process_that_answers_too_much_is_ended() -> None:
    async with ProcessPool(1, ChildLimits(1, 30, 2**31, 1000), that_lies) as pool:
        assert await pool.answer(b"1000") == bytes(1000)
        with pytest.raises(ProcessEnded):
            await pool.answer(b"1001")
        assert await pool.answer(b"1") == bytes(1), "by another process"


async def test_a_process_that_stops_its_own_clock_is_ended(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("connectors.processes.process.GRACE_S", 0.2)
    async with ProcessPool(1, ChildLimits(1, 0.2, 2**31, 1000), that_does_not_end) as pool:
        with pytest.raises(ProcessEnded):
            await pool.answer(b"")


async def test_a_processthat_hangs_up_and_goes_on_is_ended(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr("connectors.processes.process.END_TIMEOUT_S", 0.2)
    async with ProcessPool(1, ChildLimits(1, 30, 2**31, 1000), that_hangs_up) as pool:
        with pytest.raises(ProcessEnded) as end:
            await pool.answer(b"")
    assert end.value.status == -signal.SIGKILL


@pytest.mark.skipif(sys.platform != "linux", reason="where there is no /proc, nobody reads it")
async def test_a_process_does_not_have_our_settings(monkeypatch: pytest.MonkeyPatch) -> None:
    server: Any = multiprocessing.forkserver._forkserver
    server._stop()
    monkeypatch.setenv("VOKTER_SIGNING_KEY", "a secret")
    monkeypatch.setenv("KEPT_BY_A_PLUG_IN", "no secret")
    async with ProcessPool(1, ChildLimits(1, 30, 2**31, 2**16), with_environment) as pool:
        found = await pool.answer(b"")
    assert (b"VOKTER_SIGNING_KEY" in found, b"KEPT_BY_A_PLUG_IN" in found) == (False, True)
    assert os.environ["VOKTER_SIGNING_KEY"] == "a secret"
    server._stop()


async def test_work_is_done_in_another_process(one: DocumentProcesses) -> None:
    assert await run(one, os.getpid) != os.getpid()


async def test_a_process_is_replaced_after_so_many_documents(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr("connectors.processes.pool.MAX_WORKS", 2)
    async with pool() as processes:
        found = [await run(processes, os.getpid) for _ in range(6)]
    assert len(set(found)) >= 3
    assert max(map(found.count, found)) == 2


async def test_an_error_of_the_work_is_that_of_the_caller(one: DocumentProcesses) -> None:
    with pytest.raises(Unreadable, match="no text"):
        await run(one, refused)


@pytest.mark.parametrize(
    ("seconds", "work", "why"),
    [
        (SHORT, partial(at_work, LONG), "longer than 0.5 s"),
        (LONG, hungry, "too much memory"),
        (LONG, ended, "crashed"),
        (LONG, left, "SystemExit"),
    ],
)
async def test_what_is_too_hard_is_a_documents_failure_and_the_next_one_is_read(
    one: DocumentProcesses, seconds: float, work: Callable[[], object], why: str
) -> None:
    allow(one, seconds)
    with pytest.raises(TooHard, match=why):
        await undisturbed(lambda: run(one, work))
    allow(one, LONG)
    assert await run(one, asleep, 0) == "awake"


@pytest.mark.parametrize(
    ("seconds", "work", "why"),
    [(SHORT / 10, partial(asleep, LONG), "too busy to read it in 0.3 s"), (LONG, killed, "killed")],
)
async def test_what_is_due_to_this_machine_is_no_documents_failure(
    one: DocumentProcesses, seconds: float, work: Callable[[], object], why: str
) -> None:
    allow(one, seconds)
    with pytest.raises(Interrupted, match=why):
        await run(one, work)
    allow(one, LONG)
    assert await run(one, asleep, 0) == "awake"


async def test_work_is_measured_by_the_cpu_that_it_takes(one: DocumentProcesses) -> None:
    _, seconds = await one.call(asleep, (0.2,))
    assert seconds < 0.1
    _, seconds = await one.call(at_work, (0.2,))
    assert seconds >= 0.2


async def test_calls_of_one_message_are_made_in_one_process_and_each_fails_by_itself(
    one: DocumentProcesses,
) -> None:
    failing = [refused, untransportable, left]
    several: list[Callable[[], object]] = [os.getpid, *failing, partial(at_work, 0.2), os.getpid]
    first, *failed, busy, last = await one.call_each([(function, ()) for function in several])
    assert first.result == last.result != os.getpid()
    assert [type(each.error) for each in failed] == [Unreadable, TooHard, TooHard]
    assert first.seconds < 0.1 <= busy.seconds


async def test_calls_of_one_message_have_a_fifth_of_the_time_of_one(one: DocumentProcesses) -> None:
    allow(one, 2.0)
    assert await undisturbed(lambda: run(one, at_work, 0.8)) == "done"
    with pytest.raises(TooHard):
        await undisturbed(lambda: one.call_each([(at_work, (0.8,)), (asleep, (0,))]))


async def test_a_page_that_ends_its_process_is_tried_again_alone_and_others_of_its_message_are_read(
    one: DocumentProcesses,
) -> None:
    messages: list[int] = []

    async def call_each(calls: Sequence[Call]) -> Sequence[Called]:
        messages.append(len(calls))
        return await one.call_each(calls)

    queue = ReadingQueue(call_each, 1, LONG)

    def page(host: str, function: Callable[..., object]) -> Coroutine[Any, Any, object]:
        return queue.read(DueView(f"http://{host}/", "w", 1, WatchedView()), 1, function)

    for host in "abc":
        await page(host, os.getpid)
    pages = [page("a", os.getpid), page("b", ended), page("c", os.getpid)]
    before, failed, after = await asyncio.gather(*pages, return_exceptions=True)
    assert messages == [1, 1, 1, 3, 1, 1, 1]
    assert isinstance(failed, TooHard)
    assert isinstance(before, int)
    assert isinstance(after, int)


@pytest.mark.parametrize(
    "name",
    [each if each in BRIEF else pytest.param(each, marks=pytest.mark.slow) for each in DEEP],
)
async def test_no_page_that_was_made_to_be_hard_holds_up_the_next(
    one: DocumentProcesses, name: str
) -> None:
    kind = KINDS.get(name, "text/html")
    read = partial(read_with_plugins, NOWHERE, DEEP[name], kind, [View()])
    allow(one, SHORT)
    try:
        await run(one, read)
    except (TooHard, Unreadable, Interrupted) as error:
        assert str(error)  # noqa: PT017  # a quicker machine, or a better parser, reads it
    allow(one, LONG)
    assert await run(one, asleep, 0) == "awake"


async def test_text_that_grows_when_it_is_normalised_costs_no_more_than_its_process() -> None:
    body = "\N{ARABIC LIGATURE SALLALLAHOU ALAYHE WASALLAM}".encode() * 3_300_000
    fetched = FetchedPage(Response(200, body, "text/plain"), b"", 1)
    due = DueView("http://d.test/", "w", 1, WatchedView())
    async with pool(1, 3) as processes:
        reader, works = partial(read_with_plugins, NOWHERE), [(None, due)]
        try:
            (after,) = await run(processes, examine, reader, works, fetched)
        except (TooHard, Interrupted) as error:  # the latter where others have the processor
            after = error
        assert isinstance(after, TooHard | Interrupted | TooLarge)
        allow(processes, LONG)
        assert await run(processes, asleep, 0) == "awake"


async def test_work_that_is_cancelled_frees_its_process() -> None:
    async with pool() as processes:
        worker = await run(processes, os.getpid)
        task = asyncio.create_task(run(processes, asleep, LONG))
        await asyncio.sleep(0)
        task.cancel()
        assert await run(processes, asleep, 0) == "awake"
        assert worker


async def test_work_that_is_cancelled_while_its_process_starts_breaks_nothing() -> None:
    async with pool(2) as processes:
        for turns in range(2, 12):
            task = asyncio.create_task(run(processes, asleep, 0))
            for _ in range(turns):
                await asyncio.sleep(0)
            task.cancel()
            await asyncio.wait([task])
            # Others get a process, whether or not that of the cancelled work has started.
            assert await asyncio.gather(*(run(processes, asleep, 0.1) for _ in range(2)))
            while processes._idle:
                processes._end(processes._idle.pop())


async def test_processes_that_break_for_our_own_reasons_are_no_documents_failure() -> None:
    async with pool(preload=NO_PARSERS) as processes:
        worker = await run(processes, os.getpid)
        os.kill(worker, signal.SIGKILL)
        await until(lambda: not alive({worker}), "it is gone")
        for _ in range(2):
            try:
                assert await run(processes, os.getpid) != worker
                break
            except OSError as error:
                assert "broken" in str(error)  # noqa: PT017  # found out before or after it began
        else:
            pytest.fail("the pool did not recover")


async def test_processes_start_with_the_first_work_and_end_after_a_time_without_any(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr("connectors.processes.pool.REST_AFTER_S", 0.01)
    server: Any = multiprocessing.forkserver._forkserver
    server._stop()
    before = descendants(os.getpid())
    async with pool(2, preload=NO_PARSERS) as processes:
        assert descendants(os.getpid()) <= before
        for _ in range(2):
            await asyncio.gather(*(run(processes, at_work, 0.02) for _ in range(4)))
            await until(lambda: not alive(descendants(os.getpid()) - before), "all have ended")


async def test_a_process_that_cannot_be_started_says_why(monkeypatch: pytest.MonkeyPatch) -> None:
    def fail() -> None:  # as with a TMPDIR of more than 75 characters
        raise OSError("AF_UNIX path too long")

    monkeypatch.setattr("connectors.processes.pool._run_fork_server", fail)
    async with pool(preload=NO_PARSERS) as processes:
        with pytest.raises(OSError, match="cannot be started: AF_UNIX path too long"):
            await run(processes, at_work, 0)


async def test_processes_that_end_leave_the_fork_server_to_others_of_this_process(
    tmp_path: Path,
) -> None:
    server: Any = multiprocessing.forkserver._forkserver
    begun, gate = tmp_path / "begun", tmp_path / "gate"
    pools = (pool(preload=NO_PARSERS) for _ in range(2))
    async with next(pools) as processes, next(pools) as others:
        work = asyncio.create_task(run(others, killed_once, begun, gate))
        await run(processes, at_work, 0)
        await until(begun.exists, "the others are at work")
        await processes._end_all()
        gate.touch()
        with pytest.raises(Interrupted):  # nobody knows how a process of an ended server ended
            await work
        assert server._forkserver_pid is not None
        await others._end_all()
        assert server._forkserver_pid is None


async def test_work_that_comes_while_the_processes_end_is_done() -> None:
    async with pool(preload=NO_PARSERS) as processes:
        first = await run(processes, os.getpid)
        for _ in range(20 if NEW else 5):
            processes._rest()
            await asyncio.sleep(0)
            assert await run(processes, at_work, 0) == "done"
        assert await run(processes, os.getpid) != first


PARENT = """
import asyncio
from tests.connectors.processes.test_processes import LONG, NO_PARSERS, SHORT, allow, pool, run
from tests.fakes.works import asleep

async def main():
    async with pool(2, preload=NO_PARSERS) as processes:
        await run(processes, asleep, 0)
        allow(processes, SHORT)
        print("ready", flush=True)
        while True:
            works = run(processes, asleep, LONG), run(processes, asleep, 0)
            await asyncio.gather(*works, return_exceptions=True)

if __name__ == "__main__":
    asyncio.run(main())
"""


FAMILY = len(["fork server", "one at work", "an idle one"])


def test_no_process_outlives_its_parent(tmp_path: Path) -> None:
    program = tmp_path / "parent.py"
    program.write_text(PARENT)
    environment = {**os.environ, "PYTHONPATH": str(HERE)}
    line = [sys.executable, str(program)]
    with subprocess.Popen(line, stdout=subprocess.PIPE, env=environment) as parent:
        assert parent.stdout is not None
        assert parent.stdout.readline() == b"ready\n"
        deadline = time.monotonic() + TIMEOUT_S
        while len(family := descendants(parent.pid)) < FAMILY and time.monotonic() < deadline:
            time.sleep(0.05)
        assert len(family) >= FAMILY
        parent.kill()
        parent.wait()
        while alive(family) and time.monotonic() < deadline:
            time.sleep(0.05)
        assert alive(family) == set()


async def test_a_stop_waits_for_no_hard_work() -> None:
    async with pool(1) as processes:
        await run(processes, asleep, 0)
        large = "x" * 5_000_000
        work = [asyncio.create_task(run(processes, asleep, LONG, large)) for _ in range(2)]
        await until(lambda: not processes._idle, "one is on its way")
        for task in work:
            task.cancel()
    assert all(task.cancelling() for task in work)


async def test_an_error_that_cannot_travel_is_the_documents_failure(one: DocumentProcesses) -> None:
    with pytest.raises(TooHard, match="the reader failed: UntransportableError"):
        await run(one, untransportable)
