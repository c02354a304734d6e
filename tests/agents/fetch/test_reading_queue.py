"""The order in which pages are read in the few processes that there are."""

import asyncio
from collections.abc import Callable
from typing import Any

import pytest

from schemas.records.views import WatchedView
from streams.agents.fetch.due_view import DueView
from streams.agents.fetch.postponed import Postponed
from streams.agents.fetch.reading_queue import (
    FREE_PROCESS_TIMEOUT_S,
    MAX_WAITING,
    SMALL,
    ReadingQueue,
)
from tests.harness.virtual_time import in_virtual_time

SECONDS = 5.0


class Machine:
    """Processes that take as long as each page says."""

    def __init__(self, processes: int = 1) -> None:
        self.free = asyncio.Semaphore(processes)
        self.read: list[str] = []
        self.queue = ReadingQueue(self._call, processes, SECONDS)

    async def _call(self, function: Callable[..., Any], arguments: Any) -> tuple[Any, float]:
        name, seconds = arguments
        async with self.free:
            self.read.append(name)
            await asyncio.sleep(seconds)
        return name, seconds

    def page(self, name: str, manager: str, seconds: float, size: int = 1) -> "asyncio.Task[Any]":
        due = DueView(f"http://{name}/", "w", 1, WatchedView(), None, (manager,))
        return asyncio.create_task(self.queue.read(due, size, max, name, seconds))


async def put_off(page: "asyncio.Task[Any]") -> bool:
    try:
        await page
    except Postponed:
        return True
    return False


def test_a_new_page_waits_one_turn_behind_60_hosts_of_somebody_else_with_hard_pages() -> None:
    async def run() -> None:
        machine = Machine()
        hard = [machine.page(f"hard{number}", "they", SECONDS) for number in range(60)]
        await asyncio.sleep(1)
        new = machine.page("new", "me", 0.1)
        await new
        assert machine.read[:2] == ["hard0", "new"]
        await asyncio.gather(*map(put_off, hard))

    in_virtual_time(run())


def test_hosts_with_hard_pages_let_a_new_one_of_their_manager_go_first() -> None:
    async def run() -> None:
        machine = Machine()
        for _ in range(3):
            hard = [machine.page(f"hard{number}", "m", SECONDS) for number in range(4)]
            await asyncio.gather(*map(put_off, hard))
        hard = [machine.page(f"hard{number}", "m", SECONDS) for number in range(4)]
        machine.read.clear()
        await machine.page("new", "m", 0.1)
        assert machine.read.index("new") == 1
        await asyncio.gather(*map(put_off, hard))

    in_virtual_time(run())


def test_what_was_quick_waits_for_no_hard_page() -> None:
    async def run() -> None:
        machine = Machine(2)
        await machine.page("known", "m", 0.1)
        hard = [machine.page(f"hard{number}", "m", SECONDS) for number in range(5)]
        begun = asyncio.get_running_loop().time()
        for _ in range(5):
            await machine.page("known", "m", 0.1)
        assert asyncio.get_running_loop().time() - begun < SECONDS
        assert not any(page.done() for page in hard)
        await asyncio.gather(*map(put_off, hard))

    in_virtual_time(run())


def test_hosts_that_were_quick_and_are_hard_now_hold_up_a_quick_one_of_somebody_else_once() -> None:
    async def run() -> None:
        machine = Machine(2)
        quick = [machine.page(f"trap{number}", "they", 0.1) for number in range(60)]
        await asyncio.gather(machine.page("known", "me", 0.1), *quick)
        hard = [machine.page(f"trap{number}", "they", SECONDS) for number in range(60)]
        await asyncio.sleep(1)
        machine.read.clear()
        await machine.page("known", "me", 0.1)
        assert machine.read.index("known") < 2
        assert len(machine.queue) > 50
        await asyncio.gather(*map(put_off, hard))

    in_virtual_time(run())


def test_many_bytes_of_hard_pages_put_off_no_quick_one() -> None:
    async def run() -> None:
        machine = Machine(2)
        await machine.page("known", "m", 0.1)
        hard = [machine.page(str(number), "m", 1.0, MAX_WAITING) for number in range(2)]
        await asyncio.sleep(0)
        assert await machine.page("known", "m", 0.1, MAX_WAITING) == "known"
        await asyncio.gather(*hard)

    in_virtual_time(run())


def test_of_quick_pages_only_so_many_bytes_wait_and_so_long() -> None:
    async def run() -> None:
        machine = Machine()
        for name in "abcd":
            await machine.page(name, "m", 0.1)
        works = [machine.page(name, "m", 1000.0, MAX_WAITING) for name in "ab"]
        await asyncio.sleep(0)
        with pytest.raises(Postponed, match="other large pages"):
            await machine.page("c", "m", 0.1, SMALL + 1)
        with pytest.raises(Postponed, match="no process was free to read it in 30 s"):
            await machine.page("d", "m", 0.1)
        assert await put_off(works[1])
        assert "d" in machine.queue._quick, "it was not read, so it is no less quick"
        works[0].cancel()

    in_virtual_time(run())


def test_a_page_that_was_hard_once_is_not_known_as_quick_any_more() -> None:
    async def run() -> None:
        machine = Machine(2)
        for seconds in (0.1, SECONDS):
            await machine.page("a", "m", seconds)
        assert list(machine.queue._quick) == []

    in_virtual_time(run())


def test_a_page_waits_so_long_and_is_then_put_off_with_the_reason() -> None:
    async def run() -> float:
        machine = Machine()
        long = machine.page("hard", "m", 1000.0)
        await asyncio.sleep(0)
        with pytest.raises(
            Postponed, match="no process was free to read it in 30 s; 0 other pages"
        ):
            await machine.page("a", "m", 0.1)
        assert len(machine.queue) == 0
        long.cancel()
        return asyncio.get_running_loop().time()

    assert in_virtual_time(run()) == FREE_PROCESS_TIMEOUT_S


def test_only_so_many_bytes_wait_and_a_small_page_always_may() -> None:
    async def run() -> None:
        machine = Machine()
        works = [machine.page(str(number), "m", 1.0, MAX_WAITING) for number in range(2)]
        await asyncio.sleep(0)
        with pytest.raises(Postponed, match="other large pages"):
            await machine.page("large", "m", 1.0, SMALL + 1)
        assert await machine.page("small", "m", 1.0, SMALL) == "small"
        await asyncio.gather(*works)
        assert await machine.page("large", "m", 1.0, MAX_WAITING) == "large"

    in_virtual_time(run())
