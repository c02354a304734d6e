"""A cache for answers from the store: short-lived, and with a single look-up at a time per key."""

import asyncio
from collections.abc import Awaitable, Callable, Hashable
from dataclasses import dataclass
from typing import Any, TypeVar

from cachetools import TTLCache

Value = TypeVar("Value")

TTL_S = 30.0
"""Seconds for which an answer is cached; a listing lags by more when a worker is busy."""
MAX_SIZE = 64_000_000
"""Bytes of all cached answers together, roughly."""


@dataclass(slots=True)
class _Lookup:
    """A look-up under way, and the number of its waiters."""

    task: "asyncio.Task[Any]"
    callers: int = 0


class SingleFlightCache:
    """Caches the results of ``find`` for half a minute; ``clock`` returns seconds.

    Callers during a look-up wait for its result; the look-up is cancelled when all of them are
    gone. An error is not cached. cachetools evicts by age and size, but knows nothing of
    coroutines, so the look-ups under way are kept here.
    """

    def __init__(self, clock: Callable[[], float]) -> None:
        """Create an empty cache."""
        self._found: TTLCache[Hashable, tuple[int, Any]] = TTLCache(
            MAX_SIZE, TTL_S, timer=clock, getsizeof=lambda entry: entry[0]
        )
        self._lookups: dict[Hashable, _Lookup] = {}

    async def get(
        self, key: Hashable, find: Callable[[], Awaitable[Value]], size: Callable[[Value], int]
    ) -> Value:
        """Return the cached value of a key, or find the value; ``size`` is in bytes."""
        if (cached := self._found.get(key)) is not None:
            found: Value = cached[1]
            return found
        lookup = self._lookups.get(key)
        if lookup is None:
            lookup = _Lookup(asyncio.ensure_future(self._look_up(key, find, size)))
            self._lookups[key] = lookup
        lookup.callers += 1
        try:
            # Shielded, because others may wait for it when this caller is cancelled.
            result: Value = await asyncio.shield(lookup.task)
        finally:
            lookup.callers -= 1
            if not lookup.callers:
                lookup.task.cancel()
                del self._lookups[key]
        return result

    async def _look_up(
        self, key: Hashable, find: Callable[[], Awaitable[Value]], size: Callable[[Value], int]
    ) -> Value:
        found = await find()
        if (cost := size(found)) <= MAX_SIZE:
            self._found[key] = cost, found
        return found
