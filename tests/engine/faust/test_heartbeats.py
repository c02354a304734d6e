"""Each heartbeat that is answered counts from the moment in which it was sent."""

import asyncio
from types import SimpleNamespace
from typing import Any

import pytest

from streams.engine.faust.heartbeats import NotedHeartbeats
from streams.engine.life.membership import WORK_LIMIT_S, Membership


class Coordinator:
    """Answers as it is asked to; ``takes`` seconds of the clock."""

    coordinator_id = 7

    def __init__(self) -> None:
        self.now = 100.0
        self.takes = 0.0
        self.answer = True
        self.is_silent = False
        self.closed: list[object] = []
        self.membership = Membership(lambda: self.now)
        conns = {name: self.connection(name) for name in ("data", "coordination")}
        consumer: Any = SimpleNamespace(_coordinator=self, _client=SimpleNamespace(_conns=conns))
        self.noted = NotedHeartbeats(
            consumer, self.membership, lambda: self.closed.append("producer's")
        )
        self.membership.begin(self.now)

    def connection(self, name: str) -> Any:
        return SimpleNamespace(close=lambda reason: self.closed.append(name))

    async def _do_heartbeat(self) -> bool:
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
    coordinator.now += WORK_LIMIT_S + 1
    assert await coordinator.is_paused()
    assert await coordinator._do_heartbeat()
    assert not await coordinator.is_paused()


async def test_an_answer_that_took_long_is_as_old_as_its_question() -> None:
    coordinator = Coordinator()
    coordinator.now += WORK_LIMIT_S
    coordinator.takes = WORK_LIMIT_S + 1
    assert await coordinator._do_heartbeat()
    assert await coordinator.is_paused()


async def test_who_is_no_member_any_more_is_not_heard() -> None:
    coordinator = Coordinator()
    coordinator.now += WORK_LIMIT_S + 1
    coordinator.answer = False
    assert not await coordinator._do_heartbeat()
    assert await coordinator.is_paused()


async def test_a_coordinator_that_does_not_answer_is_asked_again_on_new_connections(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr("streams.engine.faust.heartbeats.ANSWER_TIMEOUT_S", 0)
    coordinator = Coordinator()
    coordinator.is_silent = True
    assert not await coordinator._do_heartbeat()
    assert coordinator.closed == ["data", "coordination", "coordinator", "producer's"]
