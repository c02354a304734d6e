"""Begin events at the pace at which their outcomes become durable.

A notification that a receiver has accepted is sent again if the process ends before that is
stored. So only some events at a time are in progress: begun, and not yet durable.
"""

import asyncio
from collections import deque
from dataclasses import dataclass

TICK_S = 0.01
PATIENT_TICKS = 3
"""After so many ticks, an event that has no outcome is taken to wait for the world: most receivers
on the internet take longer to answer."""


@dataclass(slots=True)
class Begun:
    """An event that has begun, at a tick; ``counts`` while it is in progress."""

    begun: int
    counts: bool = True
    is_handled: bool = False


class Throttle:
    """Lets events begin in the order in which they come, ``max_in_progress`` of them at a time.

    An event that waits for the world (a slow receiver) holds up no other: after three ticks
    of 0.01 s it does not count until it has an outcome. Ticks are counted instead of time because
    a loop that is late makes every event late, and would be later still with more of them.
    """

    def __init__(self, max_in_progress: int) -> None:
        self.in_progress = 0
        self._max = max_in_progress
        self._ticks = 0
        self._is_ticking = False
        self._begun: deque[Begun] = deque()
        self._order = asyncio.Lock()
        self._waiting = 0
        self._has_space = asyncio.Event()

    async def begin(self) -> Begun:
        """Wait until an event may begin; call ``end`` in any case once it is done."""
        # Most need not wait; with a lock and a context manager for each it takes twice as long.
        if self._waiting or self.in_progress >= self._max:
            self._waiting += 1
            try:
                async with self._order:
                    while self.in_progress >= self._max:
                        self._has_space.clear()
                        await self._has_space.wait()
            finally:
                self._waiting -= 1
        event = Begun(self._ticks)
        self.in_progress += 1
        self._begun.append(event)
        if not self._is_ticking:
            self._tick_later()
        return event

    def end(self, event: Begun) -> None:
        """Count an event no more: its outcome is durable, or it will never be."""
        event.is_handled = True
        self._uncount(event)

    def handled(self, event: Begun) -> None:
        """Count an event until its outcome is durable, however long that takes."""
        event.is_handled = True
        if not event.counts:
            event.counts = True
            self.in_progress += 1

    def _uncount(self, event: Begun) -> None:
        if event.counts:
            event.counts = False
            self.in_progress -= 1
            self._has_space.set()

    def _tick_later(self) -> None:
        self._is_ticking = True
        asyncio.get_running_loop().call_later(TICK_S, self._tick)

    def _tick(self) -> None:
        self._ticks += 1
        while self._begun and self._begun[0].begun + PATIENT_TICKS <= self._ticks:
            event = self._begun.popleft()
            if not event.is_handled:
                self._uncount(event)
        self._is_ticking = False
        if self._begun:
            self._tick_later()
