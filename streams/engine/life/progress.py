"""Says now and then how far something is that takes its time."""

from collections.abc import Callable
from time import monotonic

import structlog

log = structlog.get_logger()

EVERY = 2.0
"""Seconds; what is done sooner says nothing."""


class ProgressLog:
    """Counts rows, and logs how many there were so far."""

    def __init__(self, what: str, clock: Callable[[], float] = monotonic) -> None:
        """``what`` is being done; ``clock`` gives seconds."""
        self._what = what
        self._clock = clock
        self._rows = 0
        self._said = clock()

    def add(self, rows: int) -> None:
        """Count rows that are done."""
        self._rows += rows
        now = self._clock()
        if now - self._said >= EVERY:
            self._said = now
            log.info(self._what, rows=self._rows)
