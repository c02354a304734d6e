"""Heartbeats are sent together, and each that is answered counts from when it was sent."""

import asyncio
from types import SimpleNamespace
from typing import Any

import pytest

from streams.engine.faust.heartbeats import INTERVAL_S, Heartbeats
from streams.engine.life.membership import SHARED, Membership
from tests.harness.virtual_time import in_virtual_time

BEAT_S = 0.5
"""After each even second."""


class Coordinator:
    """Answers as it is asked to; ``takes`` seconds of the clock."""

    coordinator_id = 7

    def __init__(self) -> None:
        self.now = 100.0
        self.takes = 0.0
        self.answer = True
        self.is_silent = False
        self.closed: list[object] = []
        self.asked_at: list[float] = []
        self.membership = Membership(lambda: self.now, SHARED)
        conns = {name: self.connection(name) for name in ("data", "coordination")}
        consumer: Any = SimpleNamespace(_coordinator=self, _client=SimpleNamespace(_conns=conns))
        self._heartbeat_interval_ms = 2000
        self.noted = Heartbeats(
            consumer, self.membership, lambda: self.closed.append("producer's"), BEAT_S
        )
        self.membership.begin(self.now)

    def connection(self, name: str) -> Any:
        return SimpleNamespace(close=lambda reason: self.closed.append(name))

    async def _do_heartbeat(self) -> bool:
        self.asked_at.append(asyncio.get_running_loop().time())
        if self.is_silent:
            await asyncio.Event().wait()
        self.now += self.takes
        return self.answer

    def coordinator_dead(self) -> None:
        self.closed.append("coordinator")

    async def is_paused(self) -> bool:
        work = asyncio.create_task(self.membership.may_work())
        await asyncio.sleep(0)
        work.cancel()
        return not work.done()


async def test_the_answer_to_an_own_heartbeat_of_aiokafka_is_noted() -> None:
    coordinator = Coordinator()
    coordinator.now += SHARED.work_limit_s + 1
    assert await coordinator.is_paused()
    assert await coordinator.noted.beat()
    assert not await coordinator.is_paused()


async def test_an_answer_that_took_long_is_as_old_as_its_question() -> None:
    coordinator = Coordinator()
    coordinator.now += SHARED.work_limit_s
    coordinator.takes = SHARED.work_limit_s + 1
    assert await coordinator.noted.beat()
    assert await coordinator.is_paused()


async def test_who_is_no_member_any_more_is_not_heard() -> None:
    coordinator = Coordinator()
    coordinator.now += SHARED.work_limit_s + 1
    coordinator.answer = False
    assert not await coordinator.noted.beat()
    assert await coordinator.is_paused()


async def test_a_coordinator_that_does_not_answer_is_asked_again_on_new_connections(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr("streams.engine.faust.heartbeats.ANSWER_TIMEOUT_S", 0)
    coordinator = Coordinator()
    coordinator.is_silent = True
    assert not await coordinator.noted.beat()
    assert coordinator.closed == ["data", "coordination", "coordinator", "producer's"]


async def beats(coordinator: Coordinator, begun: float, count: int) -> list[float]:
    """Send heartbeats as aiokafka does, from ``begun`` (s) on; return when they were sent."""
    await asyncio.sleep(begun)
    for _ in range(count):
        await coordinator._do_heartbeat()
        await asyncio.sleep(coordinator._heartbeat_interval_ms / 1000)
    return coordinator.asked_at


@pytest.fixture
def loop_clock(monkeypatch: pytest.MonkeyPatch) -> None:
    """The clock on the wall goes with that of the loop."""
    clock = "streams.engine.life.loop_watch.time.time"
    monkeypatch.setattr(clock, lambda: asyncio.get_running_loop().time())


@pytest.mark.usefixtures("loop_clock")
def test_agents_that_began_at_different_moments_send_their_heartbeats_together() -> None:
    async def both() -> tuple[list[float], list[float]]:
        return await asyncio.gather(beats(Coordinator(), 0.3, 3), beats(Coordinator(), 1.9, 2))

    first, second = in_virtual_time(both())
    assert first == pytest.approx([BEAT_S, INTERVAL_S + BEAT_S, 2 * INTERVAL_S + BEAT_S])
    assert second == first[1:]


@pytest.mark.usefixtures("loop_clock")
def test_a_heartbeat_that_was_not_answered_is_repeated_at_once() -> None:
    coordinator = Coordinator()
    coordinator.answer = False
    first, second = in_virtual_time(beats(coordinator, 0.3, 2))
    assert first == pytest.approx(BEAT_S)
    assert second == first
