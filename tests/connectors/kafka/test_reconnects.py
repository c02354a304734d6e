"""A broker that is away is not asked ever again at once."""

import asyncio
from types import SimpleNamespace
from typing import Any, cast

import pytest
from aiokafka.client import ConnectionGroup
from aiokafka.conn import AIOKafkaConnection

from connectors.kafka_patches.reconnects import FIRST_PAUSE_S, LONGEST_PAUSE_S, Reconnects


class Client:
    """A client with a broker that may be away; counts the attempts to connect."""

    def __init__(self) -> None:
        self._conns: dict[Any, Any] = {}
        self.attempts = 0
        self.is_away = True

    async def connect(
        self, _: Any, node_id: object, *, group: ConnectionGroup
    ) -> AIOKafkaConnection | None:
        self.attempts += 1
        await asyncio.sleep(0)
        if self.is_away:
            return None
        made = cast("AIOKafkaConnection", SimpleNamespace(connected=lambda: not self.is_away))
        self._conns[node_id, group] = made
        return made


class Clock:
    """Seconds that a test lets pass."""

    def __init__(self) -> None:
        self.now = 100.0

    def __call__(self) -> float:
        return self.now


@pytest.fixture
def client() -> Client:
    return Client()


@pytest.fixture
def clock() -> Clock:
    return Clock()


@pytest.fixture
def reconnects(client: Client, clock: Clock) -> Reconnects:
    return Reconnects(client.connect, clock)


async def test_many_requests_at_once_make_one_attempt(
    client: Client, reconnects: Reconnects
) -> None:
    found = await asyncio.gather(*(reconnects.connection(client, 1) for _ in range(20)))
    assert found == [None] * 20
    assert client.attempts == 1


async def test_an_hour_of_requests_makes_an_attempt_a_second(
    client: Client, clock: Clock, reconnects: Reconnects
) -> None:
    for _ in range(36_000):
        await reconnects.connection(client, 1)
        clock.now += FIRST_PAUSE_S
    assert 3_200 < client.attempts < 3_610


async def test_the_broker_is_found_a_second_after_it_is_back_and_at_once_the_next_time(
    client: Client, clock: Clock, reconnects: Reconnects
) -> None:
    for _ in range(10):
        await reconnects.connection(client, 1)
        clock.now += LONGEST_PAUSE_S
    client.is_away = False
    assert (made := await reconnects.connection(client, 1)) is not None
    assert await reconnects.connection(client, 1) is made
    client.is_away, client._conns = True, {}
    attempts = client.attempts
    assert await reconnects.connection(client, 1) is None
    clock.now += FIRST_PAUSE_S
    client.is_away = False
    assert await reconnects.connection(client, 1) is not None
    assert client.attempts == attempts + 2


async def test_a_broker_that_is_away_holds_up_no_other(
    client: Client, reconnects: Reconnects
) -> None:
    assert await reconnects.connection(client, 1) is None
    client.is_away = False
    assert await reconnects.connection(client, 2) is not None
    assert await reconnects.connection(client, 2, group=ConnectionGroup.COORDINATION) is not None
