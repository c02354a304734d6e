"""A client does not ask for metadata in a loop."""

from types import SimpleNamespace
from typing import Any

import pytest

from connectors.kafka_patches.metadata_updates import PAUSE_S, pause_between_updates


class Client:
    """A client, with a clock that goes on by its pauses only."""

    def __init__(self) -> None:
        self.now = 5.0
        self.updates: list[float] = []
        self.client: Any = SimpleNamespace(_metadata_update=self.update)
        pause_between_updates(self.client, clock=lambda: self.now, sleep=self.sleep)

    async def update(self, topics: str) -> bool:
        self.updates.append(self.now)
        if not topics:
            raise LookupError
        return True

    async def sleep(self, seconds: float) -> None:
        self.now += seconds


async def test_an_update_right_after_another_waits() -> None:
    client = Client()
    assert await client.client._metadata_update("topics")
    assert await client.client._metadata_update("topics")
    client.now += 1
    await client.client._metadata_update("topics")
    assert client.updates == [5.0, 5.0 + PAUSE_S, 6.0 + PAUSE_S]


async def test_an_update_right_after_one_that_failed_waits_too() -> None:
    client = Client()
    with pytest.raises(LookupError):
        await client.client._metadata_update("")
    await client.client._metadata_update("topics")
    assert client.updates == [5.0, 5.0 + PAUSE_S]
