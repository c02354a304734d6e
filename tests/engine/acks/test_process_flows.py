"""A message that ends a process makes no dead letter of what other stages in it have in hand."""

import asyncio
from pathlib import Path

import pytest
from aiokafka import TopicPartition

from streams.effects.workers import stage_workers
from streams.engine.acks import process_flows
from streams.engine.acks.breaker import ALONE_AFTER
from streams.engine.acks.process_flows import ProcessFlows
from streams.settings import Settings
from tests.fakes.crashing import Group, Life, group_of

MESSAGES = 3
REASON = "the worker ended 3 times while this event was in hand"
WORKERS = stage_workers(Settings(data_dir=Path("nowhere")))
FATAL = TopicPartition("x.changes", 1), 1
SLOW = TopicPartition("x.notifications", 0), 1
"""It is at work whenever the process ends, and is handled in the end."""


@pytest.fixture(autouse=True)
def at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(process_flows, "LOOK_EVERY_S", 0)


class TwoStages:
    """Match and deliver in one process, again and again until it goes on."""

    def __init__(self) -> None:
        self.match, self.deliver = group_of(WORKERS["match"], MESSAGES), deliver_group()
        self.ends = 0

    async def live(self, *, is_slow: bool) -> bool:
        """Run a process; returns True if match has ended it."""
        process = ProcessFlows()
        match = Life(self.match, fatal=[FATAL], process=process)
        deliver = Life(self.deliver, slow=[SLOW] if is_slow else (), process=process)
        lives = match, deliver
        for life in lives:
            await life.begin()
        for _ in range(1000):
            await asyncio.sleep(0)
            if match.stage.died.is_set():
                break
        has_ended = match.stage.died.is_set()
        for life in lives:
            life.note_letters()
            if has_ended:
                life.kill()
            else:
                await life.stop()
        self.ends += has_ended
        return has_ended


def deliver_group() -> Group:
    return group_of(WORKERS["deliver"], MESSAGES)


async def test_what_another_stage_has_in_hand_at_each_end_is_not_given_up() -> None:
    stages = TwoStages()
    # Slow as a receiver may be, which is no fault; after two ends it waits for the other.
    while await stages.live(is_slow=stages.ends <= ALONE_AFTER):
        assert stages.ends <= 5
    assert stages.match.given_up() == [("changes", 1, REASON)]
    assert stages.deliver.given_up() == []
    assert {at for at, _ in stages.deliver.committed.values()} == {MESSAGES}


class FakeFlow:
    """A flow that counts its signs of life."""

    def __init__(self) -> None:
        self.is_open = True
        self.is_at_work = False
        self.signs = 0
        self.has_let_go = False

    def signal(self) -> None:
        self.signs += 1

    async def let_go(self) -> None:
        self.has_let_go = True


@pytest.fixture
def flows() -> tuple[ProcessFlows, FakeFlow, FakeFlow]:
    process, ours, other = ProcessFlows(), FakeFlow(), FakeFlow()
    process.add(ours)
    process.add(other)
    return process, ours, other


async def turns(count: int = 5) -> None:
    for _ in range(count):
        await asyncio.sleep(0)


async def test_who_is_alone_waits_for_what_others_have_in_hand_and_shows_life_meanwhile(
    flows: tuple[ProcessFlows, FakeFlow, FakeFlow],
) -> None:
    process, ours, other = flows
    other.is_at_work = True
    begun = asyncio.Event()

    async def alone() -> None:
        async with process.alone(ours):
            begun.set()

    waiting = asyncio.create_task(alone())
    await turns()
    assert not begun.is_set()
    assert ours.signs > 1
    other.is_at_work = False
    await waiting
    assert begun.is_set()


async def test_others_begin_nothing_meanwhile_and_show_life(
    flows: tuple[ProcessFlows, FakeFlow, FakeFlow],
) -> None:
    process, ours, other = flows
    async with process.alone(ours):
        await process.turn(ours)
        waiting = asyncio.create_task(process.turn(other))
        await turns()
        assert not waiting.done()
        assert other.signs > 1
    await waiting


async def test_only_one_at_a_time_is_alone(
    flows: tuple[ProcessFlows, FakeFlow, FakeFlow],
) -> None:
    process, ours, other = flows
    third = FakeFlow()
    process.add(third)
    inside: list[FakeFlow] = []

    async def alone(flow: FakeFlow) -> None:
        async with process.alone(flow):
            inside.append(flow)
            await turns()
            assert inside.pop() is flow
            assert not inside

    await asyncio.gather(*(alone(flow) for flow in (ours, other, third)))


async def test_a_flow_that_is_closed_waits_for_nobody(
    flows: tuple[ProcessFlows, FakeFlow, FakeFlow],
) -> None:
    process, ours, other = flows
    other.is_at_work = True
    waiting = asyncio.create_task(process.alone(ours).__aenter__())
    await turns()
    ours.is_open = False
    await waiting


async def test_an_end_with_a_cause_outside_is_the_fault_of_no_stage(
    flows: tuple[ProcessFlows, FakeFlow, FakeFlow],
) -> None:
    process, ours, other = flows
    closed = FakeFlow()
    closed.is_open = ours.is_open = False
    process.add(closed)
    await process.let_go(ours)
    assert [flow.has_let_go for flow in (ours, other, closed)] == [True, True, False]
