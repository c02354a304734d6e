"""Log now and then how far a long task is."""

from collections.abc import Callable
from time import monotonic

import structlog

log = structlog.get_logger()

INTERVAL_S = 2.0
"""Seconds; work that is done sooner logs nothing."""


class ProgressLog:
    """Counts rows, and logs how many there were so far."""

    def __init__(self, task: str, clock: Callable[[], float] = monotonic) -> None:
        """``task`` is the log's event; ``clock`` returns seconds."""
        self._task = task
        self._clock = clock
        self._rows = 0
        self._logged_at = clock()

    def add(self, rows: int) -> None:
        """Count rows that are done."""
        self._rows += rows
        now = self._clock()
        if now - self._logged_at >= INTERVAL_S:
            self._logged_at = now
            log.info(self._task, rows=self._rows)
