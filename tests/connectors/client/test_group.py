"""A member of a group, without a broker."""

import asyncio

import pytest

from connectors.client import group
from connectors.client.group import GroupMember
from connectors.kafka.access import Access


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

    async def handle(_: object) -> bool:
        return True

    running = asyncio.create_task(GroupMember(Access("nowhere:1"), "t", "g", handle).run())
    await consumer.is_starting.wait()
    running.cancel()
    with pytest.raises(asyncio.CancelledError):
        await running
    assert consumer.is_closed
