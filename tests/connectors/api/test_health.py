"""The agents' health, from what broker and store report; tests/broker checks the rest."""

import asyncio
from pathlib import Path
from typing import Any

import pytest
from aiohttp import ClientSession
from aiokafka import TopicPartition

from connectors.access.keys import new_key, save_keys
from connectors.access.roles import Role
from connectors.api.health import HealthHandler
from connectors.kafka.groups import Group
from connectors.kafka.transactions import OPEN_AFTER_S
from connectors.metrics.waiting import Backlog
from connectors.reads import deployment_health
from connectors.reads.deployment_health import STALLED_AFTER_S, Deployment, HealthReader
from connectors.stores.errors import StoreUnavailable
from tests.harness.api import serving_api

HERE = TopicPartition("in", 0)


class World:
    """An agent with one input partition; ``now`` in seconds."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self.now, self.committed, self.end = 0.0, 5, 5
        self.location = "store"
        self.stable = 5
        self.held_up = 0
        self.error: Exception | None = None
        self.pings = 0
        groups = {"fetch": ("test.fetch", ("in",))}
        nobody: Any = None
        deployment = Deployment("d", "kafka", 1, groups)
        self.own: str | None = None
        self.reader = HealthReader(
            deployment, self, nobody, nobody, lambda: self.now, lambda: self.own
        )
        self.handler = HealthHandler(self.reader, self._waits)
        monkeypatch.setattr(deployment_health, "describe_group", self._describe)
        monkeypatch.setattr(deployment_health, "end_offsets_of", self._ends)
        monkeypatch.setattr(deployment_health, "held_up_messages", self._held_up)

    async def _waits(self) -> list[Backlog]:
        return [Backlog("many.test", "desk", 300)]

    async def problems(self) -> list[str]:
        return list((await self.reader.state()).problems)

    async def ping(self) -> None:
        self.pings += 1
        await asyncio.sleep(0)
        if self.error:
            raise self.error

    async def _describe(self, *_: Any) -> Group:
        return Group("Stable", 1, frozenset([HERE]), {HERE: self.committed})

    async def _ends(self, *_: Any) -> dict[TopicPartition, int]:
        return {HERE: self.end}

    async def _held_up(self, *_: Any) -> dict[TopicPartition, tuple[int, int]]:
        return {HERE: (self.stable, self.held_up)}


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


async def test_an_open_transaction_is_named_as_long_as_it_holds_messages_up(world: World) -> None:
    said = "kafka: a transaction on in is open for 10 s, and holds up all messages after its first"
    world.held_up = 3
    for world.now in (0, OPEN_AFTER_S - 0.1):
        assert await world.problems() == []
    world.now = OPEN_AFTER_S
    assert await world.problems() == [f"{said} one"]
    world.stable = 6
    assert await world.problems() == [], "another one"
    world.now, world.held_up = 100, 0
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


@pytest.mark.parametrize("error", [None, StoreUnavailable("cannot read /secret/path")])
@pytest.mark.parametrize("role", [None, "wrong", *Role])
async def test_why_and_where_are_for_administrators_and_the_status_for_everybody(
    world: World, tmp_path: Path, role: str | None, error: Exception | None
) -> None:
    world.error = error
    secret, key = new_key("m", None, None, Role(role) if role in list(Role) else Role.ADMIN)
    save_keys(tmp_path / "keys.json", [key])
    headers = {"Authorization": f"Bearer {'vk_x' if role == 'wrong' else secret}"} if role else {}
    async with (
        serving_api(tmp_path / "keys.json", health=world.handler) as base,
        ClientSession() as http,
        http.get(f"{base}/health", headers=headers) as response,
    ):
        body = await response.json()
    state = "down" if error else "ok"
    assert (response.status, body["status"]) == (503 if error else 200, state)
    assert body["agents"] == {"fetch": "ok"}
    if role == Role.ADMIN:
        assert (body["kafka"], body["store"]) == ("kafka", "store")
        assert ("/secret/path" in str(body)) == bool(error)
        assert body["backlogs"] == [{"host": "many.test", "manager": "desk", "pages": 300}]
    else:
        assert body["problems"] == (["store: down"] if error else [])
        assert body.keys() == {"status", "deployment", "agents", "problems"}


async def test_a_page_that_was_made_to_lead_here_learns_no_more_than_the_status(
    world: World, tmp_path: Path
) -> None:
    async with serving_api(tmp_path / "keys.json", health=world.handler) as base:
        for headers, is_ours in (({}, True), ({"Host": "evil.example"}, False)):
            async with (
                ClientSession() as http,
                http.get(f"{base}/health", headers=headers) as response,
            ):
                assert ("store" in await response.json()) == is_ours


async def test_a_problem_of_the_process_that_is_asked_is_named(world: World) -> None:
    assert await world.problems() == []
    world.own = "the answers to requests cannot be read"
    assert await world.problems() == [world.own]
