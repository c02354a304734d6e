"""Let calls take turns: a bounded number at a time, and none of a manager holds up another's.

Managers are admitted in rotation and each has a limit: calls are short, and the bound is on their
number at a time. Fetch has a ``FairQueue`` instead, by the seconds that managers and hosts have
used: a single page may take a minute, and a manager without rivals may use all slots.
"""

import asyncio
from collections import Counter, deque
from collections.abc import AsyncIterator
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from math import inf


class TooManyWaiting(Exception):
    """Too many of a key wait already for another."""


@asynccontextmanager
async def timed(turn: AbstractAsyncContextManager[None], seconds: float) -> AsyncIterator[None]:
    """Wait so long at most for a turn, and then take as long at most; raises TimeoutError.

    The wait does not count as work: those before may be slow on purpose.
    """
    async with asyncio.timeout(seconds) as limit, turn:
        limit.reschedule(asyncio.get_running_loop().time() + seconds)
        yield


class Turns:
    """Admits at most ``most`` at a time, ``most_per_key`` of a key; others wait.

    ``most_waiting_per_key`` limits how many, unless they are limited elsewhere.

    Waiting keys take turns, and none gets two in a row while another waits; within a key, the first
    comes first.
    """

    def __init__(self, most: int, most_per_key: int, most_waiting_per_key: float = inf) -> None:
        """Begin with nobody at work."""
        self._free = most
        self._most_per_key = most_per_key
        self._most_waiting_per_key = most_waiting_per_key
        self._admitted: Counter[str] = Counter()
        self._waiting: dict[str, deque[asyncio.Future[None]]] = {}
        self._last = ""

    @property
    def keys(self) -> set[str]:
        """The keys with a turn or in wait for a turn."""
        return self._admitted.keys() | self._waiting.keys()

    @asynccontextmanager
    async def turn(self, key: str) -> AsyncIterator[None]:
        """Wait for a turn and keep the turn while in the block. Raises TooManyWaiting."""
        await self._admit(key)
        try:
            yield
        finally:
            self._leave(key)

    async def _admit(self, key: str) -> None:
        waiting = self._waiting.setdefault(key, deque())
        if len(waiting) >= self._most_waiting_per_key:
            raise TooManyWaiting(key)
        turn: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        waiting.append(turn)
        self._grant()
        try:
            await turn
        except asyncio.CancelledError:
            if not turn.cancelled():  # it was admitted just before
                self._leave(key)
                raise
            waiting = self._waiting.get(key, deque())
            if turn in waiting:
                waiting.remove(turn)
                if not waiting:
                    del self._waiting[key]
            raise

    def _leave(self, key: str) -> None:
        self._free += 1
        self._admitted[key] -= 1
        if not self._admitted[key]:
            del self._admitted[key]
        self._grant()

    def _grant(self) -> None:
        """Admit the keys in turn, as far as allowed: an admitted key goes to the end."""
        while self._free:
            allowed = (each for each in self._waiting if self._admitted[each] < self._most_per_key)
            key = next(allowed, None)
            if key == self._last:
                key = next(allowed, key)
            if key is None:
                return
            waiting = self._waiting.pop(key)
            turn = waiting.popleft()
            if waiting:
                self._waiting[key] = waiting
            if not turn.done():  # else its caller has been cancelled
                turn.set_result(None)
                self._free -= 1
                self._admitted[key] += 1
                self._last = key
