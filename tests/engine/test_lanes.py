"""Lanes: strict order per partition, whole batches durable before they are acknowledged."""

import asyncio

import pytest

from schemas.facts import Tick
from streams.engine.flow import Taken
from streams.engine.lanes import Lanes
from tests.fakes.engine import INPUT, Engine, Message, Stage, tick


async def begun() -> tuple[Engine, Stage]:
    engine, stage = Engine(), Stage()
    engine.flow.runner = Lanes("test", stage, engine.effects, engine.flow)
    await engine.begin()
    return engine, stage


def note_acknowledgements(engine: Engine) -> None:
    finish = engine.flow.finish

    def noted(taken: Taken) -> None:
        engine.durable.journal.append(("ack", taken.event.offset))
        finish(taken)

    engine.flow.finish = noted  # type: ignore[method-assign]  # a spy


async def test_outputs_come_before_the_table_and_the_table_before_the_acknowledgement() -> None:
    engine, _ = await begun()
    note_acknowledgements(engine)
    for offset in range(2):
        await engine.flow.take(tick(offset))
    await engine.settle()
    assert engine.durable.journal == [
        ("send", "0"),
        ("send", "1"),
        ("put", b"0"),
        ("put", b"1"),
        ("ack", 0),
        ("ack", 1),
    ]
    await engine.flow.close(1)


async def test_nothing_is_acknowledged_before_it_is_durable() -> None:
    engine, stage = await begun()
    engine.durable.gate.clear()
    await engine.flow.take(tick(0))
    while not stage.decided:  # noqa: ASYNC110 - the stage tells nobody
        await asyncio.sleep(0)
    assert engine.flow.committable() == {INPUT: 0}
    engine.durable.gate.set()
    await engine.settle()
    assert engine.flow.committable() == {INPUT: 1}
    await engine.flow.close(1)


async def test_events_are_decided_in_their_order() -> None:
    engine, stage = await begun()
    for offset in range(1200):
        await engine.flow.take(tick(offset))
    await engine.settle()
    assert stage.decided == list(range(1200))
    assert [send.key for send in engine.durable.sends] == [str(n) for n in range(1200)]
    await engine.flow.close(1)


async def test_bad_and_poisonous_events_become_dead_letters_and_the_next_is_handled() -> None:
    engine, stage = await begun()
    stage.poison = {1}
    poisonous = tick(1, 5)
    await engine.flow.take(Message(0, b"rubbish", b"k0", headers=[("h", b"v")]))
    await engine.flow.take(poisonous)
    await engine.flow.take(tick(2))
    await engine.settle()
    rubbish, poison, good = engine.durable.sends
    assert (rubbish.topic, rubbish.key, rubbish.record) == ("dead-letters", b"k0", b"rubbish")
    assert rubbish.headers[0] == ("h", b"v")
    assert (poison.topic, poison.record) == ("dead-letters", poisonous.value)
    assert dict(poison.headers)["__connect.errors.exception.message"] == b"ValueError('poison 1')"
    assert good.record == Tick(0)
    assert engine.flow.committable() == {INPUT: 3}
    await engine.flow.close(1)


async def test_the_memory_is_built_from_the_table_before_the_first_event() -> None:
    engine, stage = Engine(), Stage()
    engine.durable.rows_of = {0: {b"a": b"1", b"b": b"2"}, 1: {b"c": b"3"}}
    engine.flow.runner = Lanes("test", stage, engine.effects, engine.flow)
    await engine.begin()
    assert stage.partitions == [0]
    assert stage.loaded == [(0, b"a", b"1"), (0, b"b", b"2")]
    await engine.flow.close(1)


async def test_closing_cancels_what_cannot_be_made_durable_in_time() -> None:
    engine, _ = await begun()
    engine.durable.gate.clear()
    await engine.flow.take(tick(0))
    await engine.flow.close(0.01)
    engine.durable.gate.set()
    await asyncio.sleep(0)
    assert engine.durable.sends == []
    assert engine.flow.committable() == {INPUT: 0}
    await engine.begin(0)
    await engine.flow.take(tick(0))
    await engine.settle()
    assert [send.key for send in engine.durable.sends] == ["0"]
    await engine.flow.close(1)


async def test_an_outcome_that_cannot_be_made_durable_ends_the_process(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    ended: asyncio.Future[str] = asyncio.get_running_loop().create_future()
    monkeypatch.setattr(
        "streams.engine.pulse.end_process", lambda reason, error: ended.set_result(reason)
    )
    engine, _ = await begun()
    engine.durable.errors = [RuntimeError("the broker refused")]
    await engine.flow.take(tick(0))
    assert await ended == "test: partition 0 could not go on"
    assert engine.flow.committable() == {INPUT: 0}
