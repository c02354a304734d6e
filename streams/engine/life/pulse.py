"""Ends the process rather than let it go on broken or long after it froze."""

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

log = structlog.get_logger()

BEAT = 0.5
LIMIT = 4.0
BROKEN = 70
"""Exit status of a process that ended itself (EX_SOFTWARE of sysexits.h)."""
_CLOCK: int = getattr(time, "CLOCK_BOOTTIME", time.CLOCK_MONOTONIC)
"""Linux has a name of its own for the one that goes on while the machine sleeps."""


def elapsed() -> float:
    """Give seconds that also pass while the machine sleeps, unlike those of ``monotonic``."""
    return clock_gettime(_CLOCK)


def end_process(reason: str, error: BaseException | None = None) -> NoReturn:
    """Leave at once, with nothing acknowledged: the supervisor starts afresh."""
    with suppress(OSError):  # a log on a full disk
        log.critical("ending this process", reason=reason, exc_info=error)
    leave(BROKEN)


def leave(status: int) -> NoReturn:
    """End the process without waiting for anything that still runs."""
    with suppress(OSError):
        sys.stdout.flush()
        sys.stderr.flush()
    os._exit(status)


@contextmanager
def ending_on_error(reason: str, *passing: type[Exception]) -> Iterator[None]:
    """End the process on any error within: Faust would log it and go on without this part.

    Those ``passing`` are raised: Faust does right by them.
    """
    try:
        yield
    except passing:
        raise
    except Exception as error:  # noqa: BLE001 - whatever it is, do not go on
        end_process(reason, error)


class Pulse:
    """Notices that the event loop stood still, as after SIGSTOP or a sleep of the machine.

    Another worker may own our partitions by then, so nothing may be written
    any more: ``check`` goes before every output, acknowledgement and table write.
    """

    def __init__(
        self,
        clock: Callable[[], float] = elapsed,
        end: Callable[[str], object] = end_process,
    ) -> None:
        """Take the clock (seconds) and what to do when it stood still too long."""
        self._clock = clock
        self._end = end
        self._beat = inf

    def start(self) -> None:
        """Count from now on, when the broker is asked whether partitions are ours.

        A start may take what it takes.
        """
        self._beat = self._clock()

    def check(self) -> None:
        """End the process if the loop has not come round for LIMIT seconds."""
        silence = self._clock() - self._beat
        if silence > LIMIT:
            self._end(f"the event loop stood still for {silence:.1f} s")

    async def run(self) -> None:
        """Beat until cancelled."""
        while True:
            self.check()
            if self._beat < inf:
                self._beat = self._clock()
            await asyncio.sleep(BEAT)
