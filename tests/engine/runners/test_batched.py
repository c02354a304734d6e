"""Gathered: what comes during one write is written at once, and acknowledged only then."""

import asyncio
from collections.abc import Callable, Sequence
from typing import Any
from unittest.mock import AsyncMock

import pytest
from aiokafka import TopicPartition

from connectors.kafka.standstill import StandstillClock
from connectors.stores.errors import StoreRefused
from streams.agents.record import RecordProcessor
from streams.engine.acks import process_agents
from streams.engine.acks.commit_metadata import CommitMetadata
from streams.engine.acks.watchdog import LIMIT_S, Position, stalled
from streams.engine.runners.batched import BatchedRunner
from streams.values.outcome import Event
from tests.fakes.engine import INPUT, OTHER, Engine, Message, take, tick

ELSEWHERE = TopicPartition(OTHER.topic, 1)
WATCHED = (INPUT, OTHER, ELSEWHERE)


class Agent(RecordProcessor):
    """Keeps the offsets of each write; ``poison`` raises, and ``errors`` are raised first.

    Writes take ``seconds``, one after the other, then none; each is done in ``parts``.
    """

    def __init__(self) -> None:
        nothing: Any = None
        super().__init__(nothing, nothing)
        self.writes: list[list[int]] = []
        self.errors: list[Exception | None] = []
        self.poison: set[int] = set()
        self.seconds: list[float] = []
        self.parts = 0
        self.now = 0.0
        self.gate = asyncio.Event()
        self.gate.set()

    async def write(self, events: Sequence[Event], signal: Callable[[], object]) -> None:
        await self.gate.wait()
        self.now += self.seconds.pop(0) if self.seconds else 0.0
        if self.errors and (error := self.errors.pop(0)):
            raise error
        offsets = [event.offset for event in events]
        if self.poison & set(offsets):
            raise ValueError("poison")
        self.writes.append(offsets)
        for _ in range(self.parts):
            signal()


async def begun(max_in_flight: int = 1000) -> tuple[Engine, Agent]:
    engine, agent = Engine(max_in_flight), Agent()
    engine.use(BatchedRunner(agent, *engine.parts))
    await engine.begin()
    return engine, agent


@pytest.fixture
def pauses(monkeypatch: pytest.MonkeyPatch) -> AsyncMock:
    """Let pauses take no time, and note them."""
    pause = AsyncMock()
    monkeypatch.setattr("streams.engine.runners.batched.asyncio.sleep", pause)
    return pause


@pytest.fixture
async def timed(monkeypatch: pytest.MonkeyPatch) -> tuple[Engine, Agent]:
    """An engine whose clock is that of its agent, and holds all events that come."""
    engine, agent = await begun(10_000)
    monkeypatch.setattr("streams.engine.runners.batched.monotonic", lambda: agent.now)
    agent.gate.clear()
    await take(engine, 0)
    return engine, agent


async def test_what_comes_during_a_write_is_the_next_one_in_order() -> None:
    engine, agent = await begun()
    agent.gate.clear()
    await take(engine, 0)
    await take(engine, 1, 2, 3)
    assert engine.acks.committable() == {INPUT: 0}
    agent.gate.set()
    await engine.settle()
    assert agent.writes == [[0], [1, 2, 3]]
    assert engine.acks.committable() == {INPUT: 4}
    await engine.flow.close(1)


async def test_bad_and_poisonous_events_become_dead_letters_and_cost_no_other() -> None:
    engine, agent = await begun()
    agent.poison = {2}
    agent.gate.clear()
    await take(engine, 0)
    await engine.flow.take(Message(1, b"nonsense"))
    await take(engine, 2, 3)
    agent.gate.set()
    await engine.settle()
    assert agent.writes == [[0], [3]]
    letters = [dict(send.headers)["__connect.errors.offset"] for send in engine.durable.sends]
    assert letters == [b"1", b"2"]
    assert engine.acks.committable() == {INPUT: 4}
    await engine.flow.close(1)


async def test_a_slow_write_halves_the_next_batch_and_quick_ones_let_it_grow_again(
    timed: tuple[Engine, Agent],
) -> None:
    engine, agent = timed
    await take(engine, *range(1, 2126))
    agent.seconds = [0, 30, 15, 5, 2, 2, 2]
    agent.gate.set()
    await engine.settle()
    assert [len(write) for write in agent.writes] == [1, 500, 250, 125, 200, 400, 500, 150]
    assert [offset for write in agent.writes for offset in write] == list(range(2126))
    assert engine.acks.committable() == {INPUT: 2126}
    await engine.flow.close(1)


async def test_what_was_too_much_for_the_store_is_written_in_smaller_parts(
    timed: tuple[Engine, Agent], pauses: AsyncMock
) -> None:
    engine, agent = timed
    await take(engine, 1, 2, 3, 4, 5, 6, 7)
    agent.errors = [None, *[OSError("timed out")] * 4]
    agent.seconds = [0, 1, 20, 20, 20]
    agent.gate.set()
    await engine.settle()
    assert agent.writes == [[0], [1], [2, 3], [4, 5, 6, 7]]
    assert engine.acks.signs[0] == 4
    assert engine.acks.committable() == {INPUT: 8}
    await engine.flow.close(1)


async def test_a_poisonous_event_among_parts_costs_no_other(
    timed: tuple[Engine, Agent], pauses: AsyncMock
) -> None:
    engine, agent = timed
    await take(engine, 1, 2, 3, 4)
    agent.poison = {3}
    agent.errors = [None, OSError("timed out")]
    agent.seconds = [0, 20]
    agent.gate.set()
    await engine.settle()
    assert {offset for write in agent.writes for offset in write} == {0, 1, 2, 4}
    [letter] = engine.durable.sends
    assert dict(letter.headers)["__connect.errors.offset"] == b"3"
    assert engine.acks.committable() == {INPUT: 5}
    await engine.flow.close(1)


async def test_each_part_of_a_write_is_a_sign_of_life() -> None:
    engine, agent = await begun()
    agent.parts = 3
    await take(engine, 0)
    await engine.settle()
    assert engine.acks.signs[0] == 3
    await engine.flow.close(1)


async def test_a_retry_of_a_broken_world_is_a_sign_of_life(pauses: AsyncMock) -> None:
    engine, agent = await begun()
    agent.errors = [OSError("full")] * 8
    await engine.flow.take(tick(0))
    await engine.settle()
    assert agent.writes == [[0]]
    assert [call.args[0] for call in pauses.await_args_list] == [0.5, 1, 2, 4, 8, 16, 30, 30]
    assert engine.acks.signs[0] == 8
    await engine.flow.close(1)


async def test_an_outage_of_the_store_stalls_no_partition_and_condemns_no_event(
    pauses: AsyncMock,
) -> None:
    """Ten minutes, while messages wait on both partitions of the worker."""
    engine, agent = await begun()
    await engine.begin(0, OTHER, ELSEWHERE)
    clock, stalls = StandstillClock(), dict[TopicPartition, float]()

    async def look(pause: float) -> None:
        engine.now += pause
        signs = engine.acks.signs
        stalls.update(
            stalled(
                clock,
                engine.now,
                {tp: Position(0, 9, signs[tp.partition]) for tp in WATCHED},
                LIMIT_S,
            )
        )
        engine.loop_watch.membership.heard(engine.now)
        engine.loop_watch.beat()
        notes.append(engine.acks.metadata(INPUT))

    notes: list[str] = []
    pauses.side_effect = look
    agent.errors = [OSError("no route to host")] * 25
    await engine.flow.take(tick(0))
    await engine.settle()
    assert engine.now > 4 * LIMIT_S
    assert stalls == {}
    assert {CommitMetadata.decoded(note).in_hand for note in notes} == {()}
    assert (agent.writes, engine.durable.sends) == ([[0]], [])
    await engine.flow.close(1)


async def test_the_end_of_a_process_while_an_event_waits_for_its_store_counts_for_none(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    ended, notes = list[str](), list[str]()
    monkeypatch.setattr(process_agents, "end_process", ended.append)
    engine, agent = await begun()

    engine.committing = lambda: notes.append(engine.acks.metadata(INPUT))
    agent.errors = [OSError("no route to host")] * 9
    await take(engine, 0, 1)
    await engine.process.end(engine.acks, "nothing was done for 121 s on in/0")
    assert (ended, notes) == (["nothing was done for 121 s on in/0"], [""])
    await engine.flow.close(0)


async def test_an_event_that_is_handled_alone_holds_up_no_other_while_it_waits_for_its_store() -> (
    None
):
    engine, agent = await begun()
    engine.acks.open({INPUT: 0, ELSEWHERE: 0}, {INPUT: CommitMetadata(ends={0: 2}, since=0)})
    agent.gate.clear()
    taking = asyncio.create_task(engine.flow.take(tick(0)))
    for _ in range(5):
        await asyncio.sleep(0)
    assert not taking.done(), "it is at work alone"
    agent.errors = [OSError("no route to host")] * 9
    agent.gate.set()
    for _ in range(5):
        await asyncio.sleep(0)
    assert taking.done()
    await engine.flow.take(Message(0, tick(0).value, tp=ELSEWHERE))
    assert engine.acks.capacity.in_flight == 2
    await engine.flow.close(0)


async def test_a_store_that_can_no_longer_be_used_ends_the_process(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    ended: asyncio.Future[str] = asyncio.get_running_loop().create_future()
    monkeypatch.setattr(
        process_agents, "end_process", lambda _, error: ended.set_result(repr(error))
    )
    engine, agent = await begun()
    agent.errors = [StoreRefused("gone")]
    await take(engine, 0)
    assert await ended == "StoreRefused('gone')"
    assert engine.acks.committable() == {INPUT: 0}


async def test_closing_cancels_what_is_at_work_and_nothing_of_it_is_acknowledged() -> None:
    engine, agent = await begun()
    agent.gate.clear()
    await take(engine, 0, 1)
    await engine.flow.close(0)
    assert agent.writes == []
    assert engine.acks.committable() == {INPUT: 0}
    assert not engine.acks.is_at_work, "others would wait for it"
