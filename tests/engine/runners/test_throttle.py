"""How many events are on their way: begun, and not yet durable."""

import asyncio

import pytest

from streams.app import DELIVER
from streams.engine.runners import throttle as module
from streams.engine.runners.pool import PoolRunner
from streams.engine.runners.throttle import TICK_S, Throttle
from tests.fakes.engine import INPUT, Agent, Engine, take
from tests.harness.waiting import until

MOST = 3

MAX_IN_PROGRESS = DELIVER.max_in_progress or 0


async def begun(*slow: int) -> tuple[Engine, Agent]:
    engine, agent = Engine(), Agent()
    engine.use(PoolRunner(agent, *engine.parts, Throttle(MOST)))
    agent.gates = {offset: asyncio.Event() for offset in slow}
    await engine.begin()
    return engine, agent


@pytest.fixture(autouse=True)
def quick_ticks(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "TICK_S", 0)


async def test_while_nothing_can_be_stored_only_some_events_begin() -> None:
    engine, agent = await begun()
    engine.durable.gate.clear()
    await take(engine, *range(10))
    await _ticks()
    assert agent.begun == [0, 1, 2]
    engine.durable.gate.set()
    await engine.settle()
    assert agent.begun == [*range(10)], "in the order in which they came"
    assert engine.acks.committable() == {INPUT: 10}


async def test_events_that_wait_for_the_world_hold_up_no_others() -> None:
    engine, agent = await begun(*range(6))
    await take(engine, *range(10))
    await until(lambda: agent.decided == [6, 7, 8, 9], "those that do not wait are decided")
    for gate in agent.gates.values():
        gate.set()
    await engine.settle()
    assert engine.acks.committable() == {INPUT: 10}


async def test_receivers_that_take_a_moment_to_answer_do_not_set_the_pace() -> None:
    """Most on the internet answer in 0.1 to 0.3 s; a worker has the CPU for 800 POSTs a second."""
    throttle, count = Throttle(MAX_IN_PROGRESS), 10 * MAX_IN_PROGRESS
    for _ in range(count):
        await throttle.begin()
    ticks = throttle._ticks
    assert count / (ticks * TICK_S) > 800


async def test_an_event_that_has_waited_for_the_world_counts_again_until_it_is_stored() -> None:
    engine, agent = await begun(*range(MOST))
    await take(engine, *range(MOST))
    await _ticks()
    engine.durable.gate.clear()
    for gate in agent.gates.values():
        gate.set()
    await until(lambda: len(agent.decided) == MOST, "they are decided")
    await take(engine, MOST)
    await _ticks()
    assert MOST not in agent.begun
    engine.durable.gate.set()
    await engine.settle()
    assert agent.begun[-1] == MOST


async def test_what_has_not_begun_when_partitions_are_released_is_left_to_the_next_owner() -> None:
    engine, agent = await begun()
    engine.durable.gate.clear()
    await take(engine, *range(10))
    closing = asyncio.create_task(engine.flow.close(drain_s=60))
    await asyncio.sleep(0)
    engine.durable.gate.set()
    await closing
    assert agent.begun == [0, 1, 2]
    assert engine.acks.committable() == {INPUT: 3}


async def test_a_throttle_keeps_nothing_of_what_is_done() -> None:
    throttle = Throttle(MOST)
    turns = [await throttle.begin() for _ in range(MOST)]
    assert throttle.in_progress == MOST
    await until(lambda: throttle.in_progress == 0, "they wait for the world")
    for each in turns:
        throttle.end(each)
    assert throttle.in_progress == 0
    assert not throttle._begun


async def _ticks() -> None:
    """Let more ticks pass than an event may take."""
    for _ in range(3 * module.PATIENT_TICKS):
        await asyncio.sleep(0)
