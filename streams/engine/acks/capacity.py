"""Limit how many events are in flight at a time, and how large they are together."""

import asyncio
from collections.abc import Callable

from streams.values.agent import MAX_IN_FLIGHT_BYTES


class Capacity:
    """Counts the events in flight, from ``open`` to ``close``."""

    def __init__(self, limit: int, max_bytes: int = MAX_IN_FLIGHT_BYTES) -> None:
        """Let in ``limit`` events at a time, fewer if they are large, and at least one."""
        self.is_open = False
        self.in_flight = 0
        self.entered = 0
        self.bytes = 0
        self._limit = limit
        self._max_bytes = max_bytes
        self._has_space = asyncio.Event()
        self._is_empty = asyncio.Event()

    def open(self) -> None:
        """Start with nothing in flight."""
        self.clear()
        self.is_open = True

    def clear(self) -> None:
        """Count nothing as in flight any more: all that was has been cancelled."""
        self.in_flight = 0
        self.bytes = 0
        self._is_empty.set()

    def close(self) -> None:
        """Let in nothing more, and hold up nobody who waits for space."""
        self.is_open = False
        self._has_space.set()

    async def space(self, limit: int | None = None, unless: Callable[[], bool] = bool) -> None:
        """Return when fewer than ``limit`` are in flight, and not too large, or at the close.

        It also returns once ``unless`` is true; call ``look_again`` then.
        """
        limit = limit or self._limit
        # Again after each wake-up: another waiter may have been faster.
        while self.is_open and (self.in_flight >= limit or self.bytes >= self._max_bytes):
            if unless():
                return
            self._has_space.clear()
            await self._has_space.wait()

    @property
    def is_full(self) -> bool:
        """Whether the next one has to wait."""
        return self.in_flight >= self._limit or self.bytes >= self._max_bytes

    def look_again(self) -> None:
        """Let all who wait for space look whether they still have to."""
        self._has_space.set()

    async def empty(self) -> None:
        """Return when nothing is in flight."""
        await self._is_empty.wait()

    def enter(self, size: int) -> None:
        """Count one more, of so many bytes."""
        self.hold()
        self.entered += 1
        self.bytes += size

    def hold(self) -> None:
        """Count one more as in flight that is no message, and has nothing to commit."""
        self.in_flight += 1
        self._is_empty.clear()

    def leave(self, size: int) -> None:
        """Count one less."""
        self.in_flight -= 1
        self.bytes -= size
        self._has_space.set()
        if self.in_flight == 0:
            self._is_empty.set()
