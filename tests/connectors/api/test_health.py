"""The stages' health, from what broker and store report; tests/broker checks the rest."""

import asyncio
import json
from typing import Any

import pytest
from aiokafka import TopicPartition

from connectors.api import health
from connectors.api.health import STALLED_AFTER_S, Deployment, HealthHandler
from connectors.kafka.groups import Group
from connectors.stores.errors import StoreUnavailable

HERE = TopicPartition("in", 0)


class World:
    """A stage with one input partition; ``now`` in seconds."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self.now, self.committed, self.end = 0.0, 5, 5
        self.location = "store"
        self.error: Exception | None = None
        self.pings = 0
        groups = {"fetch": ("test.fetch", ("in",))}
        nobody: Any = None
        deployment = Deployment("kafka", 1, groups)
        self._health = HealthHandler(deployment, self, nobody, nobody, lambda: self.now)
        monkeypatch.setattr(health, "describe_group", self._describe)
        monkeypatch.setattr(health, "end_offsets_of", self._ends)

    async def problems(self) -> list[str]:
        request: Any = None
        response = await self._health.health(request)
        assert isinstance(response.body, bytes)
        problems: list[str] = json.loads(response.body)["problems"]
        assert response.status == (503 if problems else 200)
        return problems

    async def ping(self) -> None:
        self.pings += 1
        await asyncio.sleep(0)
        if self.error:
            raise self.error

    async def _describe(self, *_: Any) -> Group:
        return Group("Stable", 1, frozenset([HERE]), {HERE: self.committed})

    async def _ends(self, *_: Any) -> dict[TopicPartition, int]:
        return {HERE: self.end}


@pytest.fixture
def world(monkeypatch: pytest.MonkeyPatch) -> World:
    return World(monkeypatch)


async def test_a_partition_that_makes_no_progress_while_messages_wait_is_named(
    world: World,
) -> None:
    assert await world.problems() == []
    world.end = 9
    assert await world.problems() == []
    world.now = STALLED_AFTER_S
    assert await world.problems() == []
    world.now += 1
    assert await world.problems() == ["fetch: no commit for 61 s on in/0"]
    world.committed = 6
    assert await world.problems() == []


async def test_a_partition_without_messages_needs_no_progress(world: World) -> None:
    for world.now in (0, 1000, 2000):
        assert await world.problems() == []
    world.end = 6
    world.now += 10 * STALLED_AFTER_S
    assert await world.problems() == [], "it counts from the first look that found messages"
    world.now += STALLED_AFTER_S
    assert await world.problems() == []
    world.now += 1
    assert await world.problems() == ["fetch: no commit for 61 s on in/0"]


async def test_a_store_that_does_not_answer_is_reported_as_a_problem(world: World) -> None:
    world.error = StoreUnavailable("locked")
    assert await world.problems() == ["store: StoreUnavailable('locked')"]


async def test_calls_at_the_same_time_share_one_check(world: World) -> None:
    assert await asyncio.gather(*(world.problems() for _ in range(60))) == [[]] * 60
    assert world.pings == 1
    await world.problems()
    assert world.pings == 2
