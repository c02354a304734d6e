"""A few places, and many who wait for one."""

import asyncio

from streams.agents.fetch.politeness.fair_places import FairPlaces
from tests.harness.virtual_time import in_virtual_time


async def hold(
    places: FairPlaces, name: str, manager: str, seconds: float, seen: list[str]
) -> None:
    async with places.place(name, [manager]):
        seen.append(name)
        await asyncio.sleep(seconds)


def test_managers_have_places_in_turn_by_the_time_that_they_use() -> None:
    seen: list[str] = []

    async def run() -> None:
        places = FairPlaces(1)
        many = [hold(places, f"many {number}", "many", 5, seen) for number in range(60)]
        few = [hold(places, f"few {number}", "few", 1, seen) for number in range(5)]
        await asyncio.gather(*many, *few)

    in_virtual_time(run())
    assert seen[1:6] == [f"few {number}" for number in range(5)]


def test_a_host_that_is_new_goes_before_hosts_of_its_manager_that_took_long() -> None:
    seen: list[str] = []

    async def run() -> None:
        places = FairPlaces(1)
        hard = [f"hard {number}" for number in range(10)]
        await asyncio.gather(*(hold(places, name, "m", 5, seen) for name in hard))
        seen.clear()
        again = [hold(places, name, "m", 5, seen) for name in hard]
        await asyncio.gather(*again, hold(places, "new", "m", 1, seen))

    in_virtual_time(run())
    assert seen.index("new") <= 1


def test_no_place_is_lost_when_those_who_wait_or_hold_one_are_cancelled() -> None:
    async def run() -> int:
        places, seen = FairPlaces(3), list[str]()
        for turn in range(20):
            works = [
                asyncio.create_task(hold(places, f"{turn} {number}", "m", 10, seen))
                for number in range(10)
            ]
            await asyncio.sleep(turn % 3)
            for work in works[turn % 4 :]:
                work.cancel()
            await asyncio.gather(*works, return_exceptions=True)
        assert len(places) == 0
        return places._free

    assert in_virtual_time(run()) == 3


def test_100_000_hosts_that_had_a_place_leave_nothing_in_memory() -> None:
    async def run() -> None:
        places = FairPlaces(2)
        for number in range(100_000):
            async with places.place(str(number), [str(number)]):
                pass
        assert (len(places), places._waiters, places._line._lines) == (0, {}, {})
        assert len(places._line._hosts) <= 1_000
        assert len(places._line._managers) <= 1_000

    in_virtual_time(run())
