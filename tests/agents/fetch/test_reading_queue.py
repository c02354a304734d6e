"""The order in which pages are read in the few processes that there are."""

import asyncio
from collections.abc import Sequence
from typing import Any

import pytest

from connectors.processes.documents import GROUP_SHARE
from connectors.processes.errors import TooHard
from schemas.records.views import WatchedView
from streams.agents.fetch.due_view import DueView
from streams.agents.fetch.politeness.fair_slots import loop_time
from streams.agents.fetch.postponed import Postponed
from streams.agents.fetch.reading_queue import (
    FREE_PROCESS_TIMEOUT_S,
    GROUP_BYTES,
    MAX_WAITING,
    SMALL,
    Call,
    Called,
    ReadingQueue,
)
from tests.harness.virtual_time import in_virtual_time

SECONDS = 5.0


class Machine:
    """Processes that take as long as each page says."""

    def __init__(self, processes: int = 1) -> None:
        self.free = asyncio.Semaphore(processes)
        self.read: list[str] = []
        self.messages: list[list[str]] = []
        self.queue = ReadingQueue(self._call_each, processes, SECONDS)

    async def _call_each(self, calls: Sequence[Call]) -> list[Called]:
        pages: list[tuple[str, float]] = [(name, seconds) for _, (name, seconds) in calls]
        async with self.free:
            self.messages.append([name for name, _ in pages])
            self.read += self.messages[-1]
            seconds = sum(seconds for _, seconds in pages)
            if len(pages) > 1 and seconds > GROUP_SHARE * SECONDS:
                await asyncio.sleep(GROUP_SHARE * SECONDS)
                raise TooHard("the pages took longer than 1 s to read")
            await asyncio.sleep(seconds)
        return [(name, None, seconds) for name, seconds in pages]

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
        await asyncio.sleep(1)
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
        assert len(machine.queue._waiting) > 50
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
        assert len(machine.queue._waiting) == 0
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


async def known(machine: Machine, *hosts: str, seconds: float = 0.01) -> None:
    """Let hosts be known as quick."""
    for host in hosts:
        await machine.page(host, "m", seconds)
    machine.messages.clear()


def test_small_quick_pages_that_wait_go_to_a_free_process_in_one_message() -> None:
    async def run() -> None:
        machine = Machine()
        await known(machine, *"abcdefghij")
        hard = machine.page("hard", "m", SECONDS)
        await asyncio.sleep(1)
        pages = [machine.page(host, "m", 0.01) for host in "abcdefghij"]
        assert await asyncio.gather(*pages) == list("abcdefghij")
        assert machine.messages == [["hard"], list("abcdefgh"), ["i", "j"]]
        await hard

    in_virtual_time(run())


def test_pages_that_wait_are_divided_among_the_processes_that_are_free() -> None:
    async def run() -> None:
        machine = Machine(2)
        await known(machine, *"abcde")
        await asyncio.gather(*(machine.page(host, "m", 0.01) for host in "abcde"))
        assert machine.messages == [["a", "b", "c"], ["d", "e"]]

    in_virtual_time(run())


def test_large_pages_and_those_of_hosts_that_are_new_or_not_very_quick_share_no_message() -> None:
    async def run() -> None:
        machine = Machine()
        await known(machine, *"abcd")
        await known(machine, "slowish", seconds=0.5)
        pages = [
            machine.page("a", "m", 0.01, GROUP_BYTES - 1),
            machine.page("b", "m", 0.01),
            machine.page("c", "m", 0.01),
            machine.page("slowish", "m", 0.5),
            machine.page("new", "m", 0.01),
            machine.page("d", "m", 0.01),
        ]
        await asyncio.gather(*pages)
        assert machine.messages[0] == ["a", "b"]
        assert {len(each) for each in machine.messages if {"slowish", "new"} & {*each}} == {1}

    in_virtual_time(run())


def test_a_page_that_is_hard_all_at_once_holds_up_those_of_its_message_for_a_moment() -> None:
    async def run() -> None:
        machine = Machine(2)
        await known(machine, "trap", *"abcde")
        trap = machine.page("trap", "they", SECONDS)
        begun = loop_time()
        pages = [machine.page(host, "me", 0.01) for host in "abcde"]
        assert await asyncio.gather(*pages) == list("abcde")
        assert not trap.done()
        assert loop_time() - begun < 2 * GROUP_SHARE * SECONDS
        first, _, *others = machine.messages
        assert "trap" in first
        assert sorted(others) == [[host] for host in sorted(first)], "each by itself"
        assert await trap == "trap"
        assert "trap" not in machine.queue._quick

    in_virtual_time(run())


def test_managers_take_turns_within_a_message_and_each_is_charged_its_own_seconds() -> None:
    async def run() -> None:
        machine = Machine()
        await known(machine, *"abcdefgh")
        many = [machine.page(host, "many", 0.01) for host in "abcdefg"]
        await asyncio.gather(*many, machine.page("h", "one", 0.01))
        assert machine.messages == [["a", "h", *"bcdefg"]]
        used = machine.queue._scheduler._queues[False]._managers._used
        assert used["many"] - used["one"] == pytest.approx(0.06)

    in_virtual_time(run())


def test_a_message_is_given_up_when_nobody_waits_for_any_of_its_pages() -> None:
    async def run() -> None:
        machine = Machine()
        await known(machine, *"abc")
        first, second = (machine.page(host, "m", 0.01) for host in "ab")
        await asyncio.sleep(0.005)
        assert machine.messages == [["a", "b"]]
        first.cancel()
        await asyncio.sleep(0)
        assert machine.free.locked()
        second.cancel()
        begun = loop_time()
        assert await machine.page("c", "m", 0.0) == "c"
        assert loop_time() == begun

    in_virtual_time(run())


def test_a_page_that_is_given_up_at_any_moment_leaves_its_process_to_others() -> None:
    async def run() -> None:
        machine = Machine()
        for turns in range(8):
            page = machine.page("given up", "m", SECONDS)
            for _ in range(turns):
                await asyncio.sleep(0)
            page.cancel()
            begun = loop_time()
            assert await machine.page("other", "m", 0.0) == "other"
            assert loop_time() == begun

    in_virtual_time(run())
