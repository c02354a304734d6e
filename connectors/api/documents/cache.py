"""What was found a moment ago is found again without looking."""

import asyncio
from collections import OrderedDict
from collections.abc import Awaitable, Callable, Hashable
from typing import Any, TypeVar

Value = TypeVar("Value")

SECONDS = 30.0
"""What is told may be so old; a listing lags by more when a worker is busy."""
MAX_SIZE = 32_000_000
"""Of all that is kept together, in characters."""


class SingleFlightCache:
    """Keeps what ``find`` gave for half a minute; ``clock`` gives seconds.

    Who asks while it is being found waits for the same; an error is kept for nobody.
    """

    def __init__(self, clock: Callable[[], float]) -> None:
        """Begin empty."""
        self._clock = clock
        self._kept: OrderedDict[Hashable, tuple[float, int, Any]] = OrderedDict()
        self._size = 0
        self._sought: dict[Hashable, asyncio.Task[Any]] = {}

    async def get(
        self, key: Hashable, find: Callable[[], Awaitable[Value]], size: Callable[[Value], int]
    ) -> Value:
        """Give what is kept under a key, or find it."""
        self._drop()
        if key in self._kept:
            found: Value = self._kept[key][2]
            return found
        task = self._sought.get(key)
        if task is None:
            task = self._sought[key] = asyncio.ensure_future(self._find(key, find, size))
            task.add_done_callback(lambda _: self._sought.pop(key, None))
        result: Value = await asyncio.shield(task)
        return result

    async def _find(
        self, key: Hashable, find: Callable[[], Awaitable[Value]], size: Callable[[Value], int]
    ) -> Value:
        found = await find()
        cost = size(found)
        if cost <= MAX_SIZE:
            self._kept[key] = self._clock() + SECONDS, cost, found
            self._size += cost
            self._drop()
        return found

    def _drop(self) -> None:
        """Drop what is too old, and the oldest while all is too large."""
        while self._kept:
            until, cost, _ = next(iter(self._kept.values()))
            if until > self._clock() and self._size <= MAX_SIZE:
                return
            self._kept.popitem(last=False)
            self._size -= cost
