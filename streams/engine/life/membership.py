"""Let a worker work only while its group surely counts it as a member.

A worker that cannot reach its group's coordinator may still reach its topics. When its
session ends, another worker owns its partitions, and both would notify the same receivers.
"""

import asyncio
from collections.abc import Callable
from dataclasses import dataclass
from math import inf

WORK_MARGIN_S = 6.0
"""Work that begins later before the end of a session may not end in time."""
WRITE_MARGIN_S = 2.0
"""Before the end of a session: what is written arrives before another worker reads."""


@dataclass(frozen=True, slots=True)
class SessionTimes:
    """For how long a group counts in a worker that it does not hear (s).

    A worker whose event loop stood still for ``loop_limit_s`` ends. It has sent its last heartbeat
    up to two seconds before.
    """

    timeout_s: float
    loop_limit_s: float

    @property
    def work_limit_s(self) -> float:
        """For how long without an answer of the group an event may be begun."""
        return self.timeout_s - WORK_MARGIN_S

    @property
    def write_limit_s(self) -> float:
        """For how long without an answer of the group anything may be published or stored."""
        return self.timeout_s - WRITE_MARGIN_S


SHARED = SessionTimes(timeout_s=10.0, loop_limit_s=6.0)
"""Others wait for the partitions of a worker that is gone."""
ALONE = SessionTimes(timeout_s=30.0, loop_limit_s=12.0)
"""Nobody waits for them; on a machine with too much to do, any loop stands still for seconds."""


class Membership:
    """Knows how long ago the group's coordinator last answered a heartbeat.

    What has to wait goes on with the next answer: the partitions were never another's then.
    A worker that was put out of its group ends, see ``PatchedApp``.
    """

    def __init__(self, clock: Callable[[], float], session: SessionTimes) -> None:
        """``clock`` returns seconds. Until ``begin`` nothing has to wait."""
        self.now = clock
        """Returns the time in seconds."""
        self._session = session
        self._heard_at: float | None = None
        self._heard = asyncio.Event()
        self.working_since = inf
        """When the first work of this assignment was begun."""

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
        self.working_since = inf

    def begin_work(self) -> None:
        """Note that there may be something at work from now on."""
        if self.working_since == inf:
            self.working_since = self.now()

    async def may_work(self) -> None:
        """Begin work, and wait while an event must not be begun."""
        self.begin_work()
        await self.may_decide()

    async def may_decide(self) -> None:
        """Wait while the timer must not decide."""
        await self._younger(self._session.work_limit_s)

    async def may_write(self) -> None:
        """Wait while nothing must be published or stored."""
        await self._younger(self._session.write_limit_s)

    async def _younger(self, limit: float) -> None:
        while self._heard_at is not None and self.now() - self._heard_at > limit:
            self._heard.clear()
            await self._heard.wait()
