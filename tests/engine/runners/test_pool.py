"""The pool: many events at once, one at a time per key."""

import asyncio
from collections.abc import Iterator
from unittest.mock import AsyncMock

import pytest

from connectors.stores.errors import StoreRefused
from schemas.records.table_rows import TickedThrough
from streams.engine.acks import process_agents
from streams.engine.runners.pool import PoolRunner
from streams.engine.runners.throttle import Throttle
from streams.values.outcome import Event, Lookup, Outcome, Put, Send
from tests.fakes.engine import INPUT, Agent, Engine, Message, take, tick


async def begun() -> tuple[Engine, Agent]:
    engine, agent = Engine(), Agent()
    engine.use(PoolRunner(agent, *engine.parts, Throttle(1000)))
    await engine.begin()
    return engine, agent


async def test_a_slow_event_holds_up_no_other_but_the_commit() -> None:
    engine, agent = await begun()
    agent.gates[0] = asyncio.Event()
    await take(engine, 0, 1)
    assert agent.decided == [1]
    assert engine.durable.journal == [("send", "1"), ("put", b"1")]
    assert engine.acks.committable() == {INPUT: 0}
    agent.gates[0].set()
    await engine.settle()
    assert agent.decided == [1, 0]
    assert engine.acks.committable() == {INPUT: 2}


async def test_events_of_one_key_are_handled_one_after_another() -> None:
    engine, agent = await begun()
    agent.keys = {0: "a", 1: "a", 2: "b", 3: "a"}
    agent.gates[0] = asyncio.Event()
    await take(engine, 0, 1, 2, 3)
    assert agent.begun == [0, 2]
    agent.gates[0].set()
    await engine.settle()
    assert agent.decided == [2, 0, 1, 3]


async def test_a_part_of_an_outcome_begins_once_the_one_before_it_is_durable() -> None:
    engine, agent = await begun()
    durable = list[int]()

    def rest() -> Iterator[Outcome]:
        durable.append(len(engine.durable.journal))
        yield Outcome((Send("out", "after", TickedThrough(1)),))
        durable.append(len(engine.durable.journal))

    async def handle(event: Event, lookup: Lookup) -> Outcome:
        return Outcome(puts=(Put(b"row", TickedThrough(1)),), rest=rest())

    agent.handle = handle  # type: ignore[method-assign]  # a long outcome instead
    await take(engine, 0)
    await engine.settle()

    assert engine.durable.journal == [("put", b"row"), ("send", "after")]
    assert durable == [1, 2]
    assert engine.acks.committable() == {INPUT: 1}


async def test_the_next_of_a_key_begins_only_when_the_one_before_is_durable() -> None:
    engine, agent = await begun()
    agent.keys = {0: "a", 1: "a"}
    engine.durable.gate.clear()
    await take(engine, 0, 1)
    assert agent.begun == [0]
    assert engine.acks.committable() == {INPUT: 0}
    engine.durable.gate.set()
    await engine.settle()
    assert agent.begun == [0, 1]


async def test_a_key_can_be_used_again_and_nothing_is_kept_of_it() -> None:
    engine, agent = Engine(), Agent()
    pool = PoolRunner(agent, *engine.parts, Throttle(1000))
    engine.use(pool)
    await engine.begin()
    agent.keys = {0: "a", 1: "a"}
    for offset in (0, 1):
        await take(engine, offset)
        await engine.settle()
    await take(engine)
    assert agent.decided == [0, 1]
    assert not pool._lines


async def test_bad_and_poisonous_events_become_dead_letters_and_the_next_is_handled() -> None:
    engine, agent = await begun()
    agent.poison = {1}
    agent.keys = {1: "a", 2: "a"}
    await engine.flow.take(Message(0, b"rubbish", None))
    await take(engine, 1, 2)
    await engine.settle()
    dead = [send.record for send in engine.durable.sends if send.topic == "dead-letters"]
    assert dead == [b"rubbish", tick(1).value]
    assert agent.decided == [2]
    assert engine.acks.committable() == {INPUT: 3}


async def test_a_broken_world_is_retried_with_growing_pauses(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    pauses: list[float] = []
    sleep = asyncio.sleep

    async def slept(pause: float) -> None:
        pauses.append(pause)
        await sleep(0)

    engine, agent = await begun()
    monkeypatch.setattr("streams.engine.runners.pool.asyncio.sleep", slept)
    agent.broken = {0: 9}
    await engine.flow.take(tick(0))
    await engine.settle()
    assert agent.decided == [0]
    assert pauses == [0.5, 1, 2, 4, 8, 16, 30, 30, 30]
    assert [send.topic for send in engine.durable.sends] == ["out"]


async def test_an_agent_looks_up_its_table_in_the_events_partition() -> None:
    engine, agent = await begun()
    engine.durable.rows_of = {0: {b"row": b"mine"}, 1: {b"row": b"another's"}}
    await take(engine, 0)
    assert agent.looked_up == [b"mine"]


async def test_closing_cancels_what_is_at_work_and_then_releases_the_agent() -> None:
    engine, agent = await begun()
    agent.keys = {0: "a", 1: "a"}
    agent.gates[0] = asyncio.Event()
    await take(engine, 0, 1, 2)
    await engine.flow.close(0.01)
    agent.gates[0].set()
    await take(engine, 3)
    assert (agent.begun, agent.decided, agent.releases) == ([0, 2], [2], 1)
    assert engine.acks.committable() == {INPUT: 0}
    await engine.begin(0)
    await take(engine, 0, 1, 2)
    await engine.settle()
    assert sorted(agent.decided) == [0, 1, 2, 2]
    assert engine.acks.committable() == {INPUT: 3}


async def test_the_agent_takes_its_partitions_up_before_the_first_event() -> None:
    engine, agent = Engine(), Agent()
    engine.durable.rows_of = {0: {b"row": b"mine"}, 1: {b"row": b"another's"}}
    engine.use(PoolRunner(agent, *engine.parts, Throttle(1000)))
    await engine.begin(7)
    (owned,) = agent.owned
    assert (owned.number, owned.done) == (0, {"in": 7})
    assert list(owned.rows("rows")) == [(b"row", b"mine")]


async def test_outcomes_of_a_partition_are_made_durable_in_their_order_and_many_at_once() -> None:
    engine, agent = await begun()
    engine.durable.gate.clear()
    await take(engine, 0)
    await take(engine, 1, 2)
    assert agent.decided == [0, 1, 2]
    engine.durable.gate.set()
    await engine.settle()
    assert engine.durable.journal == [
        ("send", "0"),
        ("put", b"0"),
        ("send", "1"),
        ("send", "2"),
        ("put", b"1"),
        ("put", b"2"),
    ]


async def test_an_outcome_that_cannot_be_made_durable_ends_the_process(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    ended: asyncio.Future[str] = asyncio.get_running_loop().create_future()
    monkeypatch.setattr(process_agents, "end_process", lambda why, _: ended.set_result(why))
    engine, _ = await begun()
    engine.durable.errors = [RuntimeError("the broker refused")]
    await engine.flow.take(tick(0))
    assert await ended == "test: an outcome could not be made durable"
    assert engine.acks.committable() == {INPUT: 0}


async def test_a_store_that_can_no_longer_be_used_ends_the_process_and_costs_no_event(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    ended: asyncio.Future[BaseException] = asyncio.get_running_loop().create_future()
    monkeypatch.setattr(process_agents, "end_process", lambda _, error: ended.set_result(error))
    engine, agent = await begun()
    refused = StoreRefused("the file is broken")
    monkeypatch.setattr(agent, "handle", AsyncMock(side_effect=refused))
    await engine.flow.take(tick(0))
    assert await ended is refused
    assert engine.durable.sends == []
    assert engine.acks.committable() == {INPUT: 0}


async def test_each_retry_is_counted_as_a_sign_of_life(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("streams.engine.runners.pool.asyncio.sleep", AsyncMock())
    engine, agent = await begun()
    agent.broken = {0: 3}
    await engine.flow.take(tick(0))
    await engine.settle()
    assert engine.acks.signs == {0: 3}
