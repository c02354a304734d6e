"""A semaphore with fair turns: nobody's many hosts keep those of others waiting."""

import asyncio
from collections.abc import Sequence

from streams.agents.fetch.politeness.fair_share import FairScheduler, Ticket, Turn


class FairSlots:
    """Lets those who wait begin when the scheduler says so."""

    def __init__(self, slots: int, slow_slots: int) -> None:
        """Offer ``slots``, and ``slow_slots`` more to those who are known to be slow."""
        self._scheduler = FairScheduler(slots, slow_slots)
        self._waiters: dict[Ticket, asyncio.Future[Turn[Ticket]]] = {}

    def waiting(self, *, is_slow: bool = False) -> int:
        """Return how many wait of those who are slow, or of the others."""
        return self._scheduler.waiting(is_slow=is_slow)

    async def enter(
        self, host: str, managers: Sequence[str], *, is_slow: bool = False
    ) -> Turn[Ticket]:
        """Wait for a slot; it has to be left again."""
        if self._scheduler.has_slot(is_slow=is_slow):
            return self._scheduler.turn(host, managers, is_slow=is_slow)
        ticket = self._scheduler.put(host, managers, is_slow=is_slow)
        waiter: asyncio.Future[Turn[Ticket]] = asyncio.get_running_loop().create_future()
        self._waiters[ticket] = waiter
        self._begin()
        try:
            return await waiter
        except asyncio.CancelledError:
            self._scheduler.drop(ticket)
            if not waiter.cancelled():  # it got a slot that nobody uses
                self.leave(waiter.result(), 0.0)
            raise
        finally:
            del self._waiters[ticket]

    def leave(self, turn: Turn[Ticket], seconds: float) -> None:
        """Free a slot that was used for so long."""
        self._scheduler.end(turn, seconds)
        self._begin()

    def _begin(self) -> None:
        while (turn := self._scheduler.take()) is not None:
            waiter = self._waiters[turn.key]
            if waiter.cancelled():  # its task does not know that yet
                self._scheduler.end(turn, 0.0)
            else:
                waiter.set_result(turn)


def loop_time() -> float:
    """Return the time (s) by the clock of the event loop."""
    return asyncio.get_running_loop().time()
