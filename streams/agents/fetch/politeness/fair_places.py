"""A few places for many hosts: their managers have them in turn."""

import asyncio
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager

from streams.agents.fetch.politeness.fair_line import FairLine, Turn


class FairPlaces:
    """A semaphore with fair turns: nobody's many hosts keep those of others waiting."""

    def __init__(self, count: int) -> None:
        """Offer ``count`` places."""
        self._free = count
        self._line = FairLine()
        self._waiters: dict[int, asyncio.Future[Turn]] = {}

    def __len__(self) -> int:
        """The number of hosts that wait for a place."""
        return len(self._line)

    @asynccontextmanager
    async def place(self, host: str, managers: Sequence[str]) -> AsyncIterator[None]:
        """Wait for a place, and hold it."""
        turn = await self.enter(host, managers)
        clock = asyncio.get_running_loop().time
        begun = clock()
        try:
            yield
        finally:
            self.leave(turn, clock() - begun)

    async def enter(self, host: str, managers: Sequence[str]) -> Turn:
        """Wait for a place; it has to be left again."""
        number = self._line.put(host, managers)
        waiter: asyncio.Future[Turn] = asyncio.get_running_loop().create_future()
        self._waiters[number] = waiter
        self._hand_out()
        try:
            return await waiter
        except asyncio.CancelledError:
            self._line.remove(number)
            self._waiters.pop(number, None)
            if not waiter.cancelled():
                self._release()  # the place was handed out, but nobody takes it
            raise

    def leave(self, turn: Turn, seconds: float) -> None:
        """Free a place that was used for so long."""
        self._line.charge(turn, seconds)
        self._release()

    def _release(self) -> None:
        self._free += 1
        self._hand_out()

    def _hand_out(self) -> None:
        while self._free and (turn := self._line.take()) is not None:
            waiter = self._waiters.pop(turn.number)
            if not waiter.done():  # it may be cancelled and not know it yet
                self._free -= 1
                waiter.set_result(turn)
