"""End the process rather than let it go on when it is broken, or long after it froze."""

import asyncio
import os
import sys
import time
from collections.abc import AsyncIterator, Callable, Coroutine, Iterator
from contextlib import asynccontextmanager, contextmanager, suppress
from time import clock_gettime
from typing import Any, NoReturn
from zlib import crc32

import structlog

from streams.engine.life.membership import Membership, SessionTimes

log = structlog.get_logger()

BEAT_S = 0.5
EARLY_S = 0.02
BROKEN = 70
"""Exit status of a process that ended itself (EX_SOFTWARE of sysexits.h)."""
_CLOCK: int = getattr(time, "CLOCK_BOOTTIME", time.CLOCK_MONOTONIC)
"""Goes on while the machine sleeps; only Linux has a separate name for such a clock."""


def elapsed() -> float:
    """Return seconds that also pass while the machine sleeps, unlike those of ``monotonic``."""
    return clock_gettime(_CLOCK)


def beat_of(member: str) -> float:
    """Return the beat of the process of a member: seconds after each multiple of an interval.

    Processes beat at different moments, or a broker would hear all of them at once. It is a
    quarter of a second or more from whole seconds, at which the ticks of all agents have their
    turn, and in either of the two seconds between heartbeats.

    >>> beat_of("fetch-1"), beat_of("fetch-3")
    (1.453, 0.501)
    """
    second, part = divmod(crc32(member.encode()) % 1000, 500)
    return second + 0.25 + part / 1000


def until_beat(interval: float, after: float) -> float:
    """Return how many seconds are left until ``after`` a multiple of ``interval``, by the clock.

    What all agents of a process do at the same moments wakes it up only once for all of them.
    """
    left = interval - (time.time() - after) % interval
    # A loop that woke up a little early is not to wake up again for the same moment.
    return left if left > EARLY_S else left + interval


def end_process(reason: str, error: BaseException | None = None) -> NoReturn:
    """Exit at once with status 70 and nothing acknowledged; the supervisor starts it again."""
    with suppress(OSError):  # a log on a full disk
        log.critical("ending this process", reason=reason, exc_info=error)
    leave(BROKEN)


def leave(status: int) -> NoReturn:
    """Exit without waiting for anything that still runs."""
    with suppress(OSError):
        sys.stdout.flush()
        sys.stderr.flush()
    # Not sys.exit: threads of RocksDB and clean-ups may wait for what never comes.
    os._exit(status)


@contextmanager
def ending_on_error(reason: str, *passing: type[Exception]) -> Iterator[None]:
    """End the process on any error within: Faust would log it and go on without this part.

    Errors of the classes ``passing`` are raised, for Faust handles them well.
    """
    try:
        yield
    except passing:
        raise
    except Exception as error:  # noqa: BLE001 - whatever it is, do not go on
        end_process(reason, error)


@asynccontextmanager
async def running(work: Coroutine[Any, Any, None]) -> AsyncIterator[None]:
    """Run work until the end; its error ends the process, for nobody would miss the work."""

    def end_at_error(task: "asyncio.Task[None]") -> None:
        if not task.cancelled() and (error := task.exception()) is not None:
            end_process("what goes on in the background has ended", error)

    task = asyncio.create_task(work)
    task.add_done_callback(end_at_error)
    try:
        yield
    finally:
        task.cancel()
        with suppress(asyncio.CancelledError):
            await task


class LoopWatch:
    """Notices that the event loop stood still, as after SIGSTOP or a sleep of the machine.

    Another worker may own our partitions by then, so nothing may be written any more:
    call ``check`` before every output, acknowledgement and table write. ``membership``
    knows whether the group still counts this worker in.

    A worker with nothing at work yet may stand still: its first event waits until the group has
    answered.
    """

    def __init__(
        self,
        session: SessionTimes,
        clock: Callable[[], float] = elapsed,
        end: Callable[[str], object] = end_process,
    ) -> None:
        """``clock`` returns seconds; ``end`` is called when the loop stood still for too long."""
        self.membership = Membership(clock, session)
        self._limit_s = session.loop_limit_s
        self._clock = clock
        self._end = end
        self._last_beat = clock()

    def check(self) -> None:
        """End the process if the event loop stood still for too long while work was in hand."""
        silence = self._clock() - max(self._last_beat, self.membership.working_since)
        if silence > self._limit_s:
            self._end(f"the event loop stood still for {silence:.1f} s")

    def beat(self) -> None:
        """Note that the event loop runs."""
        self._last_beat = self._clock()

    async def run(self, beat_s: float) -> None:
        """Beat until cancelled, ``beat_s`` after each multiple of BEAT_S."""
        while True:
            # Check first: a beat after a long silence would hide it.
            self.check()
            self.beat()
            await asyncio.sleep(until_beat(BEAT_S, after=beat_s))
