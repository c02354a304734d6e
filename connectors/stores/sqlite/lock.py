"""A lock that the processes of one machine share."""

import fcntl
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TextIO


class FileLock:
    """An exclusive lock on a file, and the file's text while the lock is held."""

    def __init__(self, path: Path) -> None:
        """Open the file, and create it if it is missing; OSError if that fails."""
        path.touch()
        self._file = path.open("r+")

    @contextmanager
    def held(self) -> Iterator[TextIO]:
        """Wait for the lock and hold it; the system releases that of a dead process."""
        fcntl.flock(self._file, fcntl.LOCK_EX)
        try:
            self._file.seek(0)
            yield self._file
        finally:
            fcntl.flock(self._file, fcntl.LOCK_UN)

    def close(self) -> None:
        """Close the file."""
        self._file.close()
