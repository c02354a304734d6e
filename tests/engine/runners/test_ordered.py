"""Lanes: strict order per partition, whole batches durable before they are acknowledged."""

import asyncio
from collections.abc import Iterable, Iterator
from dataclasses import replace
from itertools import pairwise

import pytest
from aiokafka import TopicPartition

from schemas.records.table_rows import TickedThrough
from streams.engine.acks import process_agents
from streams.engine.acks.runner import TakenEvent
from streams.engine.runners.long_outcomes import PART
from streams.engine.runners.ordered import OrderedRunner
from streams.values.outcome import Event, Outcome, Put, Send
from tests.fakes.engine import INPUT, OTHER, Agent, Engine, Message, tick

ELSEWHERE = TopicPartition(OTHER.topic, 1)


async def begun() -> tuple[Engine, Agent]:
    engine, agent = Engine(), Agent()
    engine.use(OrderedRunner(agent, *engine.parts))
    await engine.begin()
    return engine, agent


def note_acknowledgements(engine: Engine) -> None:
    finish = engine.acks.finish

    def noted(taken: TakenEvent) -> None:
        engine.durable.journal.append(("ack", taken.event.offset))
        finish(taken)

    engine.acks.finish = noted  # type: ignore[method-assign]  # a spy


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
    engine, agent = await begun()
    engine.durable.gate.clear()
    await engine.flow.take(tick(0))
    while not agent.decided:  # noqa: ASYNC110 - the agent signals nobody
        await asyncio.sleep(0)
    assert engine.acks.committable() == {INPUT: 0}
    engine.durable.gate.set()
    await engine.settle()
    assert engine.acks.committable() == {INPUT: 1}
    await engine.flow.close(1)


async def test_events_are_decided_in_their_order() -> None:
    engine, agent = await begun()
    for offset in range(1200):
        await engine.flow.take(tick(offset))
    await engine.settle()
    assert agent.decided == list(range(1200))
    assert [send.key for send in engine.durable.sends] == [str(n) for n in range(1200)]
    await engine.flow.close(1)


@pytest.mark.parametrize("is_silent", [False, True])
async def test_what_takes_long_leaves_others_their_turn(
    is_silent: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    engine, agent = await begun()
    monkeypatch.setattr("streams.engine.runners.ordered.ROUND_S", 4)
    monkeypatch.setattr("streams.engine.runners.ordered.monotonic", lambda: len(agent.decided))
    agent.is_silent = is_silent
    for offset in range(100):
        await engine.flow.take(tick(offset))
    seen = [0]
    while seen[-1] < 100:
        await asyncio.sleep(0)
        seen.append(len(agent.decided))
    assert max(later - earlier for earlier, later in pairwise(seen)) <= 4
    await engine.settle()
    assert agent.decided == list(range(100))
    await engine.flow.close(1)


async def test_bad_and_poisonous_events_become_dead_letters_and_the_next_is_handled() -> None:
    engine, agent = await begun()
    agent.poison = {1}
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
    assert good.record == TickedThrough(0)
    assert engine.acks.committable() == {INPUT: 3}
    await engine.flow.close(1)


async def test_the_memory_is_built_from_the_table_before_the_first_event() -> None:
    engine, agent = Engine(), Agent()
    engine.durable.rows_of = {0: {b"a": b"1", b"b": b"2"}, 1: {b"c": b"3"}}
    engine.use(OrderedRunner(agent, *engine.parts))
    await engine.begin()
    assert agent.partitions == [0]
    assert agent.loaded == [(0, b"a", b"1"), (0, b"b", b"2")]
    await engine.flow.close(1)


async def test_nothing_stays_in_memory_of_partitions_that_left() -> None:
    engine, agent = Engine(), Agent()
    engine.use(OrderedRunner(agent, *engine.parts))
    for assignment in range(1, 4):
        await engine.begin()
        await engine.flow.close(1)
        assert agent.releases >= assignment


async def test_closing_cancels_what_cannot_be_made_durable_in_time() -> None:
    engine, _ = await begun()
    engine.durable.gate.clear()
    await engine.flow.take(tick(0))
    await engine.flow.close(0.01)
    engine.durable.gate.set()
    await asyncio.sleep(0)
    assert engine.durable.sends == []
    assert engine.acks.committable() == {INPUT: 0}
    await engine.begin(0)
    await engine.flow.take(tick(0))
    await engine.settle()
    assert [send.key for send in engine.durable.sends] == ["0"]
    await engine.flow.close(1)


async def test_an_outcome_that_cannot_be_made_durable_ends_the_process(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    ended: asyncio.Future[str] = asyncio.get_running_loop().create_future()
    monkeypatch.setattr(process_agents, "end_process", lambda why, _: ended.set_result(why))
    engine, _ = await begun()
    engine.durable.errors = [RuntimeError("the broker refused")]
    await engine.flow.take(tick(0))
    assert await ended == "test: partition 0 could not go on"
    assert engine.acks.committable() == {INPUT: 0}


LINE = "u"


class LongAgent(Agent):
    """An agent that decides the offsets in ``long`` in ``count`` parts, all of one line.

    Each part has an output and a row. Offsets in ``broken_off`` fail after the first.
    """

    def __init__(self, *long: int, count: int = 3) -> None:
        super().__init__()
        self.long = long
        self.count = count
        self.broken_off: set[int] = set()
        self.parts: list[str] = []

    def decide(self, event: Event) -> Outcome:
        if event.offset in self.long:
            return Outcome(line=LINE, rest=self._several(event))
        return super().decide(event)

    def _several(self, event: Event) -> Iterator[Outcome]:
        for number in range(self.count):
            if number and event.offset in self.broken_off:
                raise ValueError("broken off")
            name = f"{event.offset}.{number}"
            self.parts.append(name)
            yield Outcome((Send("out", name, event.fact),), (Put(name.encode(), event.fact),))


async def running(agent: Agent, *others: TopicPartition) -> Engine:
    engine = Engine()
    engine.use(OrderedRunner(agent, *engine.parts))
    await engine.begin(0, *others)
    return engine


async def sent_keys(agent: LongAgent, *offsets: int) -> list[str]:
    """Decide all offsets at once, and return the keys of what was sent, in order."""
    engine = await running(agent)
    for offset in offsets:
        await engine.flow.take(tick(offset))
    await engine.settle()
    assert engine.acks.committable() == {INPUT: len(offsets)}
    await engine.flow.close(1)
    return [str(send.key) for send in engine.durable.sends]


async def test_a_long_outcome_holds_up_no_other_event_and_is_acknowledged_last(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr("streams.engine.runners.long_outcomes.PART", 1)
    agent = LongAgent(0, count=50)
    engine = await running(agent)
    note_acknowledgements(engine)
    await engine.flow.take(tick(0))
    await engine.flow.take(tick(1))
    await engine.settle()
    acknowledged = [what for what in engine.durable.journal if what[0] == "ack"]
    assert acknowledged == [("ack", 1), ("ack", 0)]
    assert engine.durable.journal.index(("ack", 1)) < engine.durable.journal.index(("send", "0.9"))
    assert engine.acks.committable() == {INPUT: 2}
    await engine.flow.close(1)


async def test_few_parts_of_a_long_outcome_are_published_with_those_of_another_partition(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr("streams.engine.runners.long_outcomes.PART", 1)
    other = TopicPartition(INPUT.topic, 1)
    engine = await running(LongAgent(0), other)
    groups: list[int] = []

    async def publish(sends: Iterable[Send]) -> None:
        groups.append(len(list(sends)))

    monkeypatch.setattr(engine.writer, "_publish", publish)
    await engine.flow.take(tick(0))
    await engine.flow.take(replace(tick(0), tp=other))
    await engine.settle()
    assert groups == [2, 2, 2]
    await engine.flow.close(1)


async def test_the_parts_of_a_long_outcome_are_durable_in_their_order() -> None:
    agent = LongAgent(0, count=1_200)
    sent = await sent_keys(agent, 0)
    assert sent == agent.parts == [f"0.{number}" for number in range(1_200)]


class Headed(LongAgent):
    """An agent with long outcomes that begin with an output and a row."""

    def decide(self, event: Event) -> Outcome:
        outcome = super().decide(event)
        if outcome.rest is None:
            return outcome
        key = f"head of {event.offset}"
        sends = (Send("out", key, event.fact),)
        return replace(outcome, sends=sends, puts=(Put(key.encode(), event.fact),))


async def test_what_is_decided_at_once_of_a_long_outcome_is_durable_before_later_events() -> None:
    sent = await sent_keys(Headed(0, 1), 0, 1, 2)
    assert sent[:3] == ["head of 0", "head of 1", "2"]
    assert [key for key in sent if "." in key] == ["0.0", "0.1", "0.2", "1.0", "1.1", "1.2"]


async def test_what_is_in_line_after_a_long_outcome_waits_for_it() -> None:
    sent = await sent_keys(LongAgent(1, 2), 0, 1, 2, 3)
    in_line = [key for key in sent if "." in key]
    assert in_line == ["1.0", "1.1", "1.2", "2.0", "2.1", "2.2"]


async def test_a_long_outcome_gives_the_loop_its_turn_and_shows_that_it_goes_on(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    agent = LongAgent(0, count=100)
    engine = await running(agent, ELSEWHERE)
    monkeypatch.setattr("streams.engine.runners.ordered.ROUND_S", 4)
    monkeypatch.setattr("streams.engine.runners.ordered.monotonic", lambda: len(agent.parts))
    await engine.flow.take(tick(0))
    seen = [0]
    while seen[-1] < 100:
        await asyncio.sleep(0)
        seen.append(len(agent.parts))
    assert max(later - earlier for earlier, later in pairwise(seen)) <= 4
    await engine.settle()
    # The watchdog sees these, for nothing is committed until the end.
    assert engine.acks.signs[INPUT.partition] >= 100 // 4 - 1
    assert engine.acks.signs[1] == engine.acks.signs[INPUT.partition], "its room is that of all"
    await engine.flow.close(1)


async def test_a_part_is_decided_when_those_before_it_are_durable() -> None:
    agent = LongAgent(0, count=1_200)
    engine = await running(agent)
    engine.durable.gate.clear()
    await engine.flow.take(tick(0))
    for _ in range(20):
        await asyncio.sleep(0)
    assert 0 < len(agent.parts) <= PART
    engine.durable.gate.set()
    await engine.settle()
    assert len(agent.parts) == 1_200
    await engine.flow.close(1)


class Awaited(LongAgent):
    """An agent with long outcomes of which each part is awaited."""

    def _several(self, event: Event) -> Iterator[Outcome]:
        for part in super()._several(event):
            yield replace(part, awaited=True)


async def test_what_follows_an_awaited_part_is_decided_when_its_rows_are_durable() -> None:
    agent = Awaited(0, 1)
    engine = await running(agent)
    engine.durable.gate.clear()
    await engine.flow.take(tick(0))
    await engine.flow.take(tick(1))
    for _ in range(20):
        await asyncio.sleep(0)
    assert agent.parts == ["0.0"]
    engine.durable.gate.set()
    await engine.settle()
    kinds = [what for what, _ in engine.durable.journal]
    assert kinds == ["send", "put"] * 6
    await engine.flow.close(1)


async def test_a_long_outcome_that_breaks_off_becomes_a_dead_letter() -> None:
    agent = LongAgent(0)
    agent.broken_off = {0}
    assert await sent_keys(agent, 0, 1) == ["1", "0.0", "b'key'"]


async def test_closing_ends_what_is_decided_in_parts() -> None:
    agent = LongAgent(0, count=1_200)
    engine = await running(agent)
    engine.durable.gate.clear()
    await engine.flow.take(tick(0))
    for _ in range(5):
        await asyncio.sleep(0)
    await engine.flow.close(0)
    engine.durable.gate.set()
    for _ in range(5):
        await asyncio.sleep(0)
    assert engine.durable.sends == []
    assert engine.acks.committable() == {INPUT: 0}
