"""A lock for the processes of a machine."""

import fcntl
import os
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from time import monotonic, sleep
from typing import TextIO

from connectors.stores.errors import StoreUnavailable

TIMEOUT_S = 10.0
"""A commit takes milliseconds, so a process with a longer hold stands still."""
LOOK_EVERY_S = 0.002
LOCKS = Path("/proc/locks")


class FileLock:
    """An exclusive lock on a file, and the file's text while the lock is held."""

    def __init__(self, path: Path, timeout_s: float = TIMEOUT_S) -> None:
        """Open the file, and create the file if missing; OSError if this fails."""
        path.touch()
        self._file = path.open("r+")
        self._timeout_s = timeout_s

    @contextmanager
    def held(self) -> Iterator[TextIO]:
        """Wait for the lock and hold the lock; the system releases the lock of a dead process.

        Raises StoreUnavailable, with the process in possession, after the timeout.
        """
        end = monotonic() + self._timeout_s
        while True:
            with suppress(BlockingIOError):
                fcntl.flock(self._file, fcntl.LOCK_EX | fcntl.LOCK_NB)
                break
            if monotonic() >= end:
                raise StoreUnavailable(
                    f"{_holder(self._file)} has locked {self._file.name} for more than "
                    f"{self._timeout_s:g} s, and may stand still"
                )
            sleep(LOOK_EVERY_S)
        try:
            self._file.seek(0)
            yield self._file
        finally:
            fcntl.flock(self._file, fcntl.LOCK_UN)

    def close(self) -> None:
        """Close the file."""
        self._file.close()


def _holder(file: TextIO) -> str:
    """Return the process with the lock on a file, as far as the system says."""
    found = os.fstat(file.fileno())
    device = f"{os.major(found.st_dev):02x}:{os.minor(found.st_dev):02x}:{found.st_ino}"
    with suppress(OSError):  # it is Linux's alone, and the process may have ended
        for line in LOCKS.read_text().splitlines():
            # proc_locks(5): number, kind, "ADVISORY", access, process, device and inode, range.
            _, kind, _, _, process, place, *_ = line.split()
            if (kind, place) == ("FLOCK", device):
                name = Path("/proc", process, "comm").read_text().strip()
                return f"process {process} ({name})"
    return "another process"
