"""A few slots, and many who wait for one."""

import asyncio

import pytest

from streams.agents.fetch.politeness.fair_slots import FairSlots
from tests.harness.virtual_time import in_virtual_time


async def hold(slots: FairSlots, name: str, manager: str, seconds: float, seen: list[str]) -> None:
    turn = await slots.enter(name, [manager])
    try:
        seen.append(name)
        await asyncio.sleep(seconds)
    finally:
        slots.leave(turn, seconds)


def test_managers_have_slots_in_turn_by_the_time_that_they_use() -> None:
    seen: list[str] = []

    async def run() -> None:
        slots = FairSlots(1, 1)
        many = [hold(slots, f"many {number}", "many", 5, seen) for number in range(60)]
        few = [hold(slots, f"few {number}", "few", 1, seen) for number in range(5)]
        await asyncio.gather(*many, *few)

    in_virtual_time(run())
    assert seen[1:6] == [f"few {number}" for number in range(5)]


def test_a_host_that_is_new_goes_before_hosts_of_its_manager_that_took_long() -> None:
    seen: list[str] = []

    async def run() -> None:
        slots = FairSlots(1, 1)
        hard = [f"hard {number}" for number in range(10)]
        await asyncio.gather(*(hold(slots, name, "m", 5, seen) for name in hard))
        seen.clear()
        again = [hold(slots, name, "m", 5, seen) for name in hard]
        await asyncio.gather(*again, hold(slots, "new", "m", 1, seen))

    in_virtual_time(run())
    assert seen.index("new") <= 1


def test_no_slot_is_lost_when_those_who_wait_or_hold_one_are_cancelled() -> None:
    async def run() -> list[int]:
        slots, seen = FairSlots(3, 1), list[str]()
        for turn in range(20):
            works = [
                asyncio.create_task(hold(slots, f"{turn} {number}", "m", 10, seen))
                for number in range(10)
            ]
            await asyncio.sleep(turn % 3)
            for work in works[turn % 4 :]:
                work.cancel()
            await asyncio.gather(*works, return_exceptions=True)
        assert (slots.waiting(), slots._waiters) == (0, {})
        return slots._scheduler._free

    assert in_virtual_time(run()) == [3, 1]


@pytest.mark.long
def test_100_000_hosts_that_had_a_slot_leave_nothing_in_memory() -> None:
    async def run() -> None:
        slots = FairSlots(2, 1)
        for number in range(100_000):
            slots.leave(await slots.enter(str(number), [str(number)]), 0.0)
        queue = slots._scheduler._queues[False]
        assert (slots.waiting(), slots._waiters) == (0, {})
        assert (queue._lines, queue._waiting) == ({}, {})
        assert len(queue._hosts._used) <= 1_000
        assert len(queue._managers._used) <= 1_000

    in_virtual_time(run())
