"""End the process rather than let it go on when it is broken, or long after it froze."""

import asyncio
import os
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from math import inf
from time import clock_gettime
from typing import NoReturn

import structlog

from streams.engine.life.membership import Membership

log = structlog.get_logger()

BEAT_S = 0.5
HALF_BEAT_S = 0.5
"""After whole seconds, at which the ticks of all agents have their turn."""
EARLY_S = 0.02
LIMIT_S = 4.0
"""Well below the group's session timeout (10 s), after which another worker takes over."""
BROKEN = 70
"""Exit status of a process that ended itself (EX_SOFTWARE of sysexits.h)."""
_CLOCK: int = getattr(time, "CLOCK_BOOTTIME", time.CLOCK_MONOTONIC)
"""Goes on while the machine sleeps; only Linux has a separate name for such a clock."""


def elapsed() -> float:
    """Return seconds that also pass while the machine sleeps, unlike those of ``monotonic``."""
    return clock_gettime(_CLOCK)


def until_beat(interval: float, after: float = 0.0) -> float:
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


class LoopWatch:
    """Notices that the event loop stood still, as after SIGSTOP or a sleep of the machine.

    Another worker may own our partitions by then, so nothing may be written any more:
    call ``check`` before every output, acknowledgement and table write. ``membership``
    knows whether the group still counts this worker in.
    """

    def __init__(
        self,
        clock: Callable[[], float] = elapsed,
        end: Callable[[str], object] = end_process,
    ) -> None:
        """``clock`` returns seconds; ``end`` is called when the loop stood still for too long."""
        self.membership = Membership(clock)
        self._clock = clock
        self._end = end
        # Before ``start`` no standstill counts: a process may take long to start.
        self._last_beat = inf

    def start(self) -> None:
        """Count from now on; call it when the broker is asked whether partitions are ours."""
        self._last_beat = self._clock()

    def check(self) -> None:
        """End the process if the event loop has not run for LIMIT_S."""
        silence = self._clock() - self._last_beat
        if silence > LIMIT_S:
            self._end(f"the event loop stood still for {silence:.1f} s")

    async def run(self) -> None:
        """Beat until cancelled."""
        while True:
            # Check first: a beat after a long silence would hide it.
            self.check()
            if self._last_beat < inf:
                self._last_beat = self._clock()
            await asyncio.sleep(until_beat(BEAT_S))
