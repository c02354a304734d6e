"""Let a worker work only while its group surely counts it as a member.

A worker that cannot reach its group's coordinator may still reach its topics. When its
session ends, another worker owns its partitions, and both would notify the same receivers.
"""

import asyncio
from collections.abc import Callable

WORK_LIMIT_S = 4.0
"""Two heartbeats: work that begins later may not end in time."""
WRITE_LIMIT_S = 8.0
"""Below the session timeout (10 s), so that what is written arrives before another worker reads."""


class Membership:
    """Knows how long ago the group's coordinator last answered a heartbeat.

    What has to wait goes on with the next answer: the partitions were never another's then.
    A worker that was put out of its group ends, see ``PatchedApp``.
    """

    def __init__(self, clock: Callable[[], float]) -> None:
        """``clock`` returns seconds. Until ``begin`` nothing has to wait."""
        self._clock = clock
        self._heard_at: float | None = None
        self._heard = asyncio.Event()

    def begin(self, asked_at: float) -> None:
        """Start: the coordinator has confirmed the assignment, asked at ``asked_at``."""
        self._heard_at = asked_at
        self._heard.set()

    def heard(self, asked_at: float) -> None:
        """Note that a heartbeat was answered that was sent at ``asked_at``."""
        if self._heard_at is not None:
            self.begin(asked_at)

    def end(self) -> None:
        """Stop: the partitions are released, and nothing of ours is at work."""
        self._heard_at = None
        self._heard.set()

    async def may_work(self) -> None:
        """Wait while an event must not be begun."""
        await self._younger(WORK_LIMIT_S)

    async def may_write(self) -> None:
        """Wait while nothing must be published or stored."""
        await self._younger(WRITE_LIMIT_S)

    def now(self) -> float:
        """Return the time in seconds."""
        return self._clock()

    async def _younger(self, limit: float) -> None:
        while self._heard_at is not None and self._clock() - self._heard_at > limit:
            self._heard.clear()
            await self._heard.wait()
