"""Of two that claim at once, one holds, and everybody agrees which."""

import asyncio
from typing import Any
from unittest.mock import AsyncMock

import pytest

from connectors.kafka import claims
from connectors.kafka.access import Access
from connectors.kafka.claims import StoreElsewhere, claim_store, claimed_store
from schemas.records.claims import StoreClaimed

ACCESS: Any = None


@pytest.fixture
def published(monkeypatch: pytest.MonkeyPatch) -> list[StoreClaimed]:
    """The claims on a topic; reading and writing it takes its time."""
    topic: list[StoreClaimed] = []

    async def read(*_: Any) -> list[StoreClaimed]:
        found = topic.copy()
        await asyncio.sleep(0)
        return found

    async def publish(access: Any, name: str, key: bytes, claim: StoreClaimed) -> None:
        topic.append(claim)

    monkeypatch.setattr(claims, "read_claims", read)
    monkeypatch.setattr(claims, "publish_claim", publish)
    return topic


def store(name: str) -> StoreClaimed:
    return StoreClaimed(name, f"the place of {name}", 1, replaces=False)


async def test_of_two_stores_that_are_claimed_at_once_the_first_holds(
    published: list[StoreClaimed],
) -> None:
    both = (claim_store(ACCESS, "t", store(name)) for name in "ab")
    first, second = await asyncio.gather(*both, return_exceptions=True)
    assert first is None
    assert isinstance(second, StoreElsewhere)
    assert "the place of a" in str(second)
    assert await claimed_store(ACCESS, "t") == store("a")
    assert published[-1] == store("a"), "the one that compaction keeps"
    with pytest.raises(StoreElsewhere):
        await claim_store(ACCESS, "t", store("b"))


async def test_a_store_that_is_claimed_on_purpose_replaces_another(
    published: list[StoreClaimed],
) -> None:
    await claim_store(ACCESS, "t", store("a"))
    await claim_store(ACCESS, "t", store("a"))
    assert published == [store("a")]
    moved = StoreClaimed("b", "elsewhere", 2, replaces=True)
    await claim_store(ACCESS, "t", moved)
    assert await claimed_store(ACCESS, "t") == moved
    with pytest.raises(StoreElsewhere, match="elsewhere"):
        await claim_store(ACCESS, "t", store("a"))


async def test_a_claim_is_acknowledged_by_all_replicas_in_sync(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    asked = dict[str, Any]()

    def producer(**options: Any) -> Any:
        asked.update(options)
        return AsyncMock()

    monkeypatch.setattr(claims, "AIOKafkaProducer", producer)
    await claims.publish_claim(Access("nowhere"), "t", claims.STORE, store("a"))
    assert asked["enable_idempotence"], "which aiokafka takes for acks=all"
