"""A listener to a manager's notifications, and its queue."""

import asyncio
from collections import deque
from dataclasses import dataclass

from schemas.records.notifications import Notification

MAX_WAITING = 100
"""The most notifications in wait for a listener."""
MAX_WAITING_BYTES = 2_000_000
"""Bytes of them together, except for a larger notification."""

Positions = tuple[int, ...]
"""The next offset of each partition: all notifications before were passed on."""


@dataclass(frozen=True, slots=True)
class LiveNotification:
    """A notification, the positions after, and its encoded size in bytes."""

    fact: Notification
    positions: Positions
    size: int


class Listener:
    """The queue of notifications of a listener; ends when closed or too slow."""

    def __init__(self, manager: str) -> None:
        """Listen to a manager's notifications."""
        self.manager = manager
        self.is_open = True
        self._waiting: deque[LiveNotification] = deque()
        self._size = 0
        self._changed = asyncio.Event()

    def offer(self, heard: LiveNotification) -> None:
        """Queue a notification, unless closed; too many close the queue."""
        is_full = len(self._waiting) >= MAX_WAITING or self._size + heard.size > MAX_WAITING_BYTES
        if self._waiting and is_full:
            self.close()
        elif self.is_open:
            self._waiting.append(heard)
            self._size += heard.size
            self._changed.set()

    def close(self) -> None:
        """End after the already waiting notifications."""
        self.is_open = False
        self._changed.set()

    def __aiter__(self) -> "Listener":
        return self

    async def __anext__(self) -> LiveNotification:
        while not self._waiting:
            if not self.is_open:
                raise StopAsyncIteration
            self._changed.clear()
            await self._changed.wait()
        heard = self._waiting.popleft()
        self._size -= heard.size
        return heard
