"""Keeps multiprocessing from starting its resource tracker."""

import os
from multiprocessing import resource_tracker
from typing import Any


def track_no_resources() -> None:
    """Let multiprocessing track no semaphores and no shared memory: our processes have none.

    Its fork server would start a tracker, another Python with 6 MB, which stays as long as this
    process, even while no other one is needed.
    """
    tracker: Any = resource_tracker._resource_tracker  # noqa: SLF001 - it has no public switch
    if tracker._fd is None:  # noqa: SLF001 - as above
        # It counts as running while what it is sent can be written.
        tracker._fd = os.open(os.devnull, os.O_WRONLY)  # noqa: SLF001 - as above
