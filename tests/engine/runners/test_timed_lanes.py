"""The timer in the lanes: what it decides goes the way of an event's outcome, and in its turn."""

import asyncio
from collections.abc import Callable, Iterator

import pytest
from aiokafka import TopicPartition

from schemas.records.table_rows import TickedThrough
from schemas.records.topics import Topic
from streams.engine.acks.runner import TakenEvent
from streams.engine.runners.ordered import OrderedRunner
from streams.values.outcome import Outcome, Put, Send
from tests.fakes.engine import INPUT, OTHER, TOPIC, Agent, Engine, Message, tick

NOW = 1_000

LaneTimer = Callable[[int, int], Outcome]


def outcome_of(name: str) -> Outcome:
    record = TickedThrough(0)
    return Outcome((Send("out", name, record),), (Put(name.encode(), record),))


def stated(partition: int, now: int) -> Outcome:
    """Decide something at each tick."""
    return outcome_of(f"tick {now}")


class Lanes:
    """An agent with a timer; ``journal`` has what became durable, in order."""

    def __init__(
        self, timer: LaneTimer = stated, agent: Agent | None = None, first: Topic | None = None
    ) -> None:
        self.engine, self.agent = Engine(first=first), agent or Agent()
        vars(self.agent)["tick"] = timer
        self.runner = OrderedRunner(self.agent, *self.engine.parts)
        self.engine.use(self.runner)
        self.flow, self.acks = self.engine.flow, self.engine.acks
        self.capacity = self.acks.capacity
        self.journal = self.engine.durable.journal

    async def tick(self, now: int = NOW) -> list[int]:
        """Let the timer have its turn; return the partitions that it decided for."""
        return list(await self.runner.tick(self.acks.timed, now))

    async def going(self, is_true: Callable[[], object]) -> None:
        """Let the lanes go on until something is true."""
        while not is_true():  # noqa: ASYNC110 - the lanes signal nobody
            await asyncio.sleep(0)


async def test_outputs_of_a_timer_come_before_its_rows_and_then_it_may_decide_again() -> None:
    it = Lanes()
    await it.engine.begin()
    assert await it.tick() == [0]
    assert await it.tick(NOW + 1) == [], "the last outcome is not durable yet"
    await it.engine.settle()
    assert await it.tick(NOW + 2) == [0]
    await it.engine.settle()
    assert it.journal == [
        ("send", "tick 1000"),
        ("put", b"tick 1000"),
        ("send", "tick 1002"),
        ("put", b"tick 1002"),
    ]
    await it.flow.close(1)


async def test_what_an_outcome_of_the_timer_waits_for_piles_nothing_up() -> None:
    it = Lanes()
    it.engine.durable.gate.clear()
    await it.engine.begin()
    found = [await it.tick(NOW + second) for second in range(50)]
    assert found == [[0], *[[]] * 49]
    it.engine.durable.gate.set()
    await it.engine.settle()
    assert len(it.journal) == 2
    await it.flow.close(1)


async def test_a_timer_decides_after_what_was_taken_before_it_and_before_what_comes_later() -> None:
    it = Lanes()
    await it.engine.begin()
    for offset in range(2):
        await it.flow.take(tick(offset))
    await it.tick()
    await it.flow.take(tick(2))
    await it.engine.settle()
    assert [key for kind, key in it.journal if kind == "send"] == ["0", "1", "tick 1000", "2"]
    await it.flow.close(1)


async def test_a_tick_at_which_nothing_is_decided_wakes_no_lane_and_commits_nothing() -> None:
    it = Lanes(lambda partition, now: Outcome())
    await it.engine.begin()
    await asyncio.sleep(0)
    taken = it.capacity.entered
    assert await it.tick() == [0]
    assert (it.capacity.in_flight, it.capacity.entered) == (0, taken)
    assert it.runner._queues[0].empty()
    await it.flow.close(1)


async def test_an_outcome_of_the_timer_is_in_flight_and_none_of_its_messages_is_to_commit() -> None:
    it = Lanes()
    await it.engine.begin()
    await it.tick()
    assert (it.capacity.in_flight, it.capacity.entered) == (1, 0)
    await it.engine.settle()
    assert (it.capacity.in_flight, it.acks.committable()) == (0, {INPUT: 0})
    await it.flow.close(1)


def parts(*names: str) -> LaneTimer:
    """A timer with a long outcome."""

    def timer(partition: int, now: int) -> Outcome:
        return Outcome(line="timer", rest=map(outcome_of, names))

    return timer


async def test_a_long_outcome_of_the_timer_lets_events_have_their_turn_and_ends_once(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr("streams.engine.runners.long_outcomes.PART", 1)
    it = Lanes(parts("a", "b", "c"))
    await it.engine.begin()
    await it.tick()
    await it.flow.take(tick(0))
    await it.going(lambda: ("send", "0") in it.journal)
    assert await it.tick() == [], "its last part is not durable"
    await it.engine.settle()
    sent = [key for kind, key in it.journal if kind == "send"]
    assert [key for key in sent if key != "0"] == ["a", "b", "c"]
    assert sent.index("0") < sent.index("c")
    assert await it.tick() == [0]
    await it.flow.close(1)


async def test_no_timer_decides_before_what_goes_first_at_an_assignment_is_done() -> None:
    it = Lanes(first=TOPIC)
    it.engine.last = 1
    await it.engine.begin(0, OTHER, TopicPartition(OTHER.topic, 1))
    assert await it.tick() == [1], "nothing goes first in the other partition"
    await it.engine.settle()
    await it.flow.take(tick(0))
    await it.engine.settle()
    assert await it.tick() == [1]
    await it.flow.take(tick(1))
    await it.engine.settle()
    assert sorted(await it.tick()) == [0, 1]
    await it.flow.close(1)


async def test_while_there_is_no_capacity_what_goes_first_may_be_unread_so_nothing_is_decided() -> (
    None
):
    it = Lanes(first=TOPIC)
    it.capacity._limit = 1
    it.engine.durable.gate.clear()
    await it.engine.begin(0, OTHER)
    await it.flow.take(Message(0, tick(0).value, tp=OTHER))
    assert await it.tick() == []
    it.engine.durable.gate.set()
    await it.engine.settle()
    assert await it.tick() == [0]
    await it.flow.close(1)


async def test_where_nothing_goes_first_a_timer_decides_while_there_is_no_capacity() -> None:
    it = Lanes()
    it.capacity._limit = 1
    await it.engine.begin(0, OTHER)
    await it.flow.take(Message(0, tick(0).value, tp=OTHER))
    assert await it.tick() == [0]
    await it.engine.settle()
    await it.flow.close(1)


async def test_a_timer_never_decides_for_a_partition_that_is_being_revoked() -> None:
    decided: list[int] = []

    def timer(partition: int, now: int) -> Outcome:
        decided.append(now)
        return stated(partition, now)

    it = Lanes(timer)
    it.engine.durable.gate.clear()
    await it.engine.begin()
    await it.flow.take(tick(0))
    await it.going(lambda: it.agent.decided)
    assert await it.tick() == [0], "it waits for the event"
    closing = asyncio.create_task(it.flow.close(1))
    await it.going(lambda: not it.capacity.is_open)
    assert await it.tick(NOW + 1) == []
    it.engine.durable.gate.set()
    await closing
    assert (decided, it.journal) == ([], [("send", "0"), ("put", b"0")])
    await it.engine.begin(1)
    assert await it.tick(NOW + 2) == [0]
    await it.engine.settle()
    assert decided == [NOW + 2]
    await it.flow.close(1)


async def test_closing_lets_a_decided_outcome_of_the_timer_become_durable() -> None:
    it = Lanes()
    it.engine.durable.gate.clear()
    await it.engine.begin()
    await it.tick()
    closing = asyncio.create_task(it.flow.close(1))
    await it.going(lambda: not it.capacity.is_open)
    it.engine.durable.gate.set()
    await closing
    assert it.journal == [("send", "tick 1000"), ("put", b"tick 1000")]


async def test_closing_cancels_an_outcome_of_the_timer_that_cannot_become_durable_in_time() -> None:
    it = Lanes()
    it.engine.durable.gate.clear()
    await it.engine.begin()
    await it.tick()
    await it.flow.close(0.01)
    it.engine.durable.gate.set()
    await asyncio.sleep(0)
    assert (it.journal, it.capacity.in_flight) == ([], 0)
    await it.engine.begin()
    assert await it.tick() == [0]
    await it.engine.settle()
    assert len(it.journal) == 2
    await it.flow.close(1)


def breaks_off(partition: int, now: int) -> Outcome:
    def rest() -> Iterator[Outcome]:
        yield outcome_of("first")
        raise ValueError("broken off")

    return Outcome(line="timer", rest=rest())


def fails(partition: int, now: int) -> Outcome:
    raise ValueError("no")


@pytest.mark.parametrize("timer", [breaks_off, fails])
async def test_a_timer_that_fails_in_a_lane_ends_the_process_and_makes_no_dead_letter(
    timer: LaneTimer, monkeypatch: pytest.MonkeyPatch
) -> None:
    ended: asyncio.Future[tuple[str, BaseException]] = asyncio.get_running_loop().create_future()
    monkeypatch.setattr(
        "streams.engine.acks.process_agents.end_process",
        lambda reason, error: ended.set_result((reason, error)),
    )
    it = Lanes(timer)
    await it.engine.begin()
    await it.flow.take(tick(0))
    await it.tick()
    reason, error = await ended
    assert reason == "test: partition 0 could not go on"
    assert str(error) == "the timer could not decide for partition 0"
    assert isinstance(error.__cause__, ValueError)
    assert it.acks.poison_messages._has_let_go, "no event in hand is to blame"
    assert not any(send.topic == "dead-letters" for send in it.engine.durable.sends)


async def test_an_outcome_of_the_timer_that_cannot_be_made_durable_ends_the_process(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    ended: asyncio.Future[str] = asyncio.get_running_loop().create_future()
    monkeypatch.setattr(
        "streams.engine.acks.process_agents.end_process",
        lambda reason, error: ended.set_result(reason),
    )
    it = Lanes()
    it.engine.durable.errors = [RuntimeError("the broker refused")]
    await it.engine.begin()
    await it.tick()
    assert await ended == "test: partition 0 could not go on"


async def test_events_are_acknowledged_as_without_a_timer() -> None:
    it = Lanes()
    acknowledged: list[int] = []
    finish = it.acks.finish

    def noted(taken: TakenEvent) -> None:
        acknowledged.append(taken.event.offset)
        finish(taken)

    it.acks.finish = noted  # type: ignore[method-assign]  # a spy
    await it.engine.begin()
    for offset in range(5):
        await it.flow.take(tick(offset))
        await it.tick(NOW + offset)
    await it.engine.settle()
    assert acknowledged == list(range(5))
    assert it.acks.committable() == {INPUT: 5}
    await it.flow.close(1)
