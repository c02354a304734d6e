"""The order of turns."""

import asyncio
from contextlib import AsyncExitStack

import pytest

from connectors.turns import TooManyWaiting, Turns


class Callers:
    """Callers that leave when a test lets them; ``admitted`` lists those who were let in."""

    def __init__(self, turns: Turns) -> None:
        self.turns = turns
        self.admitted: list[str] = []
        self.tasks: dict[str, asyncio.Task[None]] = {}

    async def come(self, *names: str) -> None:
        for name in names:
            self.tasks[name] = asyncio.create_task(self._stay(name))
            await asyncio.sleep(0)

    async def leave(self, name: str) -> None:
        self.tasks[name].cancel()
        await asyncio.gather(self.tasks[name], return_exceptions=True)
        await asyncio.sleep(0)

    async def _stay(self, name: str) -> None:
        async with self.turns.turn(name[0]):
            self.admitted.append(name)
            await asyncio.Event().wait()


async def test_keys_take_turns_and_a_key_has_no_more_than_its_share() -> None:
    callers = Callers(Turns(most=3, most_per_key=2, most_waiting_per_key=9))
    await callers.come("a1", "a2", "a3", "a4", "b1", "b2", "c1")
    assert callers.admitted == ["a1", "a2", "b1"]
    await callers.leave("b1")
    await callers.leave("a1")
    await callers.leave("c1")
    assert callers.admitted == ["a1", "a2", "b1", "c1", "a3", "b2"]


async def test_a_caller_that_leaves_while_it_waits_takes_no_turn() -> None:
    callers = Callers(Turns(most=1, most_per_key=1, most_waiting_per_key=9))
    await callers.come("a1", "a2", "a3")
    await callers.leave("a2")
    await callers.leave("a1")
    assert callers.admitted == ["a1", "a3"]
    await callers.leave("a3")
    await callers.come("b1")
    assert callers.admitted == ["a1", "a3", "b1"]


async def test_a_caller_that_leaves_just_when_it_is_admitted_passes_its_turn_on() -> None:
    callers = Callers(Turns(most=1, most_per_key=1, most_waiting_per_key=9))
    await callers.come("a1", "a2", "a3")
    callers.tasks["a1"].cancel()
    callers.tasks["a2"].cancel()
    await asyncio.gather(callers.tasks["a1"], callers.tasks["a2"], return_exceptions=True)
    await asyncio.sleep(0)
    assert callers.admitted[-1] == "a3"


async def test_so_many_of_a_key_wait_and_others_still_may() -> None:
    turns = Turns(most=1, most_per_key=1, most_waiting_per_key=2)
    callers = Callers(turns)
    await callers.come("a1", "a2", "a3")
    with pytest.raises(TooManyWaiting):
        await turns.turn("a").__aenter__()
    await callers.come("b1")
    await callers.leave("a1")
    assert callers.admitted == ["a1", "b1"]
    await callers.leave("b1")
    assert callers.admitted == ["a1", "b1", "a2"]


async def test_no_key_has_two_turns_in_a_row_while_another_waits() -> None:
    callers = Callers(Turns(most=1, most_per_key=1, most_waiting_per_key=3))
    await callers.come("a1", "a2", "a3", "b1", "b2", "a4")
    for name in ("a1", "b1", "a2", "b2"):
        await callers.leave(name)
    assert callers.admitted == ["a1", "b1", "a2", "b2", "a3"]


async def test_nothing_is_remembered_of_callers_that_have_left() -> None:
    turns = Turns(most=1, most_per_key=1, most_waiting_per_key=1)
    async with AsyncExitStack() as stack:
        await stack.enter_async_context(turns.turn("first"))
    for number in range(100_000):
        async with turns.turn(str(number)):
            pass
    assert turns.keys == set()
