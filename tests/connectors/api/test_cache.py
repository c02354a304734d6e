"""The short-lived cache, with a clock that is set by hand."""

import asyncio

import pytest

from connectors.api.documents.cache import MAX_SIZE, TTL_S, SingleFlightCache


class Source:
    """Returns the numbers from one on, each with a size."""

    def __init__(self, size: int = 1) -> None:
        self.now = 0.0
        self.found = 0
        self.go = asyncio.Event()
        self.go.set()
        self._size = size
        self._cache = SingleFlightCache(lambda: self.now)

    async def get(self, key: str = "a") -> int:
        return await self._cache.get(key, self._find, lambda _: self._size)

    async def _find(self) -> int:
        self.found += 1
        await self.go.wait()
        return self.found


def test_an_entry_is_cached_for_20_to_60_seconds() -> None:
    assert 20 <= TTL_S <= 60


async def test_an_answer_is_cached_until_it_is_too_old() -> None:
    source = Source()
    assert (await source.get(), await source.get("b")) == (1, 2)
    source.now = TTL_S - 1
    assert (await source.get(), await source.get("b")) == (1, 2)
    source.now = TTL_S
    assert (await source.get(), await source.get("b")) == (3, 4)


async def test_concurrent_callers_share_one_look_up_even_if_the_first_is_cancelled() -> None:
    source = Source()
    source.go.clear()
    first, second = (asyncio.create_task(source.get()) for _ in range(2))
    await asyncio.sleep(0)
    first.cancel()
    await asyncio.sleep(0)
    source.go.set()
    assert await second == 1


async def test_a_look_up_that_nobody_waits_for_any_more_is_cancelled_and_made_again() -> None:
    source = Source()
    source.go.clear()
    callers = [asyncio.create_task(source.get()) for _ in range(2)]
    await asyncio.sleep(0)
    for caller in callers:
        caller.cancel()
    await asyncio.gather(*callers, return_exceptions=True)
    later = asyncio.create_task(source.get())
    await asyncio.sleep(0)
    source.go.set()
    assert await later == 2


async def test_the_least_recently_used_entry_makes_room() -> None:
    source = Source(MAX_SIZE // 2)
    assert [await source.get(key) for key in "abc"] == [1, 2, 3]
    assert [await source.get(key) for key in "cb"] == [3, 2]
    assert await source.get("a") == 4


async def test_an_answer_that_is_too_large_is_not_cached() -> None:
    source = Source(MAX_SIZE + 1)
    assert (await source.get(), await source.get()) == (1, 2)


async def test_an_error_is_not_cached() -> None:
    async def fail() -> int:
        raise OSError("away")

    async def find() -> int:
        return 1

    cache = SingleFlightCache(lambda: 0.0)
    with pytest.raises(OSError, match="away"):
        await cache.get("a", fail, lambda _: 1)
    assert await cache.get("a", find, lambda _: 1) == 1
