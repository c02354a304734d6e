"""A partition that stands still with messages waiting is distinguished from all others."""

import asyncio
from collections.abc import Mapping
from typing import Any

import pytest
from aiokafka import TopicPartition
from aiokafka.errors import KafkaConnectionError
from hypothesis import given
from hypothesis import strategies as st

from connectors.kafka.standstill import StandstillClock
from streams.engine.acks import watchdog
from streams.engine.acks.watchdog import Position, stalled, watch

LIMIT = 100.0
HERE, THERE = TopicPartition("in", 0), TopicPartition("in", 1)


def looked(
    *looks: tuple[float, Mapping[TopicPartition, Position]],
) -> dict[TopicPartition, float]:
    """What stands still at the last of several looks, each at its time."""
    clock, found = StandstillClock(), dict[TopicPartition, float]()
    for now, positions in looks:
        found = stalled(clock, now, positions, LIMIT)
    return found


def test_messages_that_wait_at_one_commit_for_too_long_are_a_stall() -> None:
    still = {HERE: Position(5, 3)}
    assert looked((0, still), (LIMIT, still)) == {}
    assert looked((0, still), (50, still), (LIMIT + 1, still)) == {HERE: LIMIT + 1}


def test_more_messages_behind_the_same_commit_are_no_progress() -> None:
    assert looked((0, {HERE: Position(5, 1)}), (101, {HERE: Position(5, 9)})) == {HERE: 101}


def test_a_commit_starts_the_count_again() -> None:
    still = {HERE: Position(6, 2)}
    assert looked((0, {HERE: Position(5, 3)}), (90, still), (180, still)) == {}
    assert looked((0, {HERE: Position(5, 3)}), (90, still), (191, still)) == {HERE: 101}


def test_a_partition_without_messages_may_stand_still_for_any_time() -> None:
    idle, one = {HERE: Position(5, 0)}, {HERE: Position(5, 1)}
    assert looked((0, idle), (1000, idle), (1001, one), (1100, one)) == {}


def test_what_is_retried_is_waiting_and_no_stall() -> None:
    assert looked((0, {HERE: Position(5, 3, 1)}), (101, {HERE: Position(5, 3, 2)})) == {}


def test_a_partition_that_was_away_or_not_to_be_seen_is_counted_from_zero() -> None:
    still = {HERE: Position(5, 3)}
    assert looked((0, still), (90, {}), (101, still), (200, still)) == {}


def test_one_partition_stands_still_while_another_moves() -> None:
    times = [(t, {HERE: Position(5, 3), THERE: Position(t, 3)}) for t in (0, 60, 120)]
    assert looked(*times) == {HERE: 120}


@given(st.lists(st.tuples(st.integers(0, 99), st.integers(0, 2), st.integers(0, 2)), min_size=1))
def test_whatever_moves_or_is_done_in_time_is_never_a_stall(
    steps: list[tuple[int, int, int]],
) -> None:
    """Looks that are less than the limit apart, each with progress since the one before."""
    clock, now, committed = StandstillClock(), 0, 0
    for wait, done, behind in steps:
        now, committed = now + wait, committed + done
        position = Position(committed, behind if done else 0)
        assert stalled(clock, now, {HERE: position}, LIMIT) == {}


class Broker:
    """Answers in turn; ``waiting`` says whether the messages are real."""

    def __init__(self, *answers: Position | Exception, waiting: bool = True) -> None:
        self._answers = list(answers)
        self._waiting = waiting
        self.asked = asyncio.Event()

    async def positions(self) -> Mapping[TopicPartition, Position]:
        answer = self._answers.pop(0) if len(self._answers) > 1 else self._answers[0]
        if len(self._answers) == 1:
            self.asked.set()
        if isinstance(answer, Exception):
            raise answer
        return {HERE: answer}

    async def has_message(self, partition: TopicPartition) -> bool:
        return self._waiting


@pytest.fixture
def ended(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    monkeypatch.setattr(watchdog, "INTERVAL_S", 0)
    monkeypatch.setattr(watchdog, "LIMIT_S", -1)
    return []


async def watched(broker: Broker, ended: list[str]) -> None:
    async def end(reason: str) -> None:
        ended.append(reason)

    asked: Any = broker
    task = asyncio.create_task(watch(asked, lambda *_: None, end))
    await broker.asked.wait()
    await asyncio.sleep(0)
    await asyncio.sleep(0)
    task.cancel()


async def test_a_stall_ends_the_process_and_names_the_partition(ended: list[str]) -> None:
    await watched(Broker(*[Position(5, 3)] * 3), ended)
    assert ended[0] == "nothing was done for 0 s on in/0"


async def test_offsets_without_messages_are_no_stall(ended: list[str]) -> None:
    await watched(Broker(*[Position(5, 1)] * 3, waiting=False), ended)
    assert ended == []


async def test_a_broker_that_does_not_answer_is_no_stall(ended: list[str]) -> None:
    await watched(Broker(KafkaConnectionError(), OSError(), OSError()), ended)
    assert ended == []
