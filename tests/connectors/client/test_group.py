"""A member of a group, without a broker."""

import asyncio
from typing import Any

import pytest
from aiokafka.errors import GroupAuthorizationFailedError

from connectors.client import group
from connectors.client.group import GroupMember
from connectors.kafka.access import Access
from tests.harness.waiting import TIMEOUT_S


async def handle(_: object) -> bool:
    return True


class Consumer:
    """A consumer that never finds its broker."""

    def __init__(self, **_: object) -> None:
        self.is_starting = asyncio.Event()
        self.is_closed = False

    def subscribe(self, topics: list[str], listener: object) -> None:
        pass

    async def start(self) -> None:
        self.is_starting.set()
        await asyncio.Event().wait()

    async def stop(self) -> None:
        self.is_closed = True


async def test_a_member_that_is_cancelled_while_it_connects_closes_its_consumer(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    consumer = Consumer()
    monkeypatch.setattr(group, "AIOKafkaConsumer", lambda **_: consumer)
    running = asyncio.create_task(GroupMember(Access("nowhere:1"), "t", "g", handle).run())
    await consumer.is_starting.wait()
    running.cancel()
    with pytest.raises(asyncio.CancelledError):
        await running
    assert consumer.is_closed


class Refused(Consumer):
    """A consumer in a group that refuses it, some time after it has joined."""

    def __init__(self) -> None:
        super().__init__()
        self.polls = 0

    async def start(self) -> None:
        pass

    async def getmany(self, *partitions: object, timeout_ms: int) -> dict[Any, Any]:
        assert partitions, "all partitions: their messages would be passed over"
        self.polls += 1
        if self.polls == 3:
            raise GroupAuthorizationFailedError("g")
        return {}


async def test_a_member_without_partitions_says_why_it_gets_none(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(group, "POLL_MS", 1)
    consumer = Refused()
    monkeypatch.setattr(group, "AIOKafkaConsumer", lambda **_: consumer)
    with pytest.raises(GroupAuthorizationFailedError):
        await asyncio.wait_for(GroupMember(Access("nowhere:1"), "t", "g", handle).run(), TIMEOUT_S)
    assert consumer.is_closed
