"""A lock that admits one broker to a data folder.

The broker's processes inherit the lock on a file in the folder, so the lock ends with the last of
them, however they end. A file that is left behind locks nobody out.
"""

import fcntl
import os
import signal
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from infra.errors import InfraError

FILE = "broker.lock"
VANISH_TIMEOUT_S = 2.0
"""For the last process of a broker that was just killed to disappear."""
ORPHAN_TIMEOUT_S = 30.0
"""For a broker to end by itself after its owner has ended."""
SIZE = 64
"""Bytes of the file's text, always the same: a full disk has no space for a new text."""


def take(folder: Path) -> int:
    """Lock the folder and return the file descriptor; pass it to the broker, then close it.

    A broker without an owner is stopping: wait for its guard, and kill it after a while.
    If the guard has ended too, wait for the rest of its processes.

    Raises:
        InfraError: a broker with a living owner holds the folder, or a process that does not end.
        OSError: the file cannot be written.
    """
    lease = os.open(folder / FILE, os.O_RDWR | os.O_CREAT, 0o600)
    try:
        _await_lock(lease, folder)
        write(lease, os.getpid(), 0)
    except BaseException:
        os.close(lease)  # as long as it is open here, no later start has the lock
        raise
    return lease


def _await_lock(lease: int, folder: Path) -> None:
    began = time.monotonic()
    while not _lock(lease):
        waited = time.monotonic() - began
        owner, group = _read(lease)
        if _is_alive(owner) and (not group or _is_alive(group)):
            if waited > VANISH_TIMEOUT_S:
                raise InfraError(
                    f"A broker is already running in {folder} (started by process {owner}). "
                    "Stop that process, or choose another data folder."
                )
        elif waited > ORPHAN_TIMEOUT_S + VANISH_TIMEOUT_S:
            raise InfraError(
                f"Another process holds {folder / FILE} and does not end (find it with: "
                f"lsof {folder / FILE}). Stop that process, or choose another data folder."
            )
        elif group and (waited > ORPHAN_TIMEOUT_S or not _is_alive(group)):
            with suppress(ProcessLookupError, PermissionError):
                os.killpg(group, signal.SIGKILL)
        time.sleep(0.1)


@contextmanager
def running_group(folder: Path) -> Iterator[int]:
    """Yield the process group of the broker that holds a folder; if none does, 0, and none may."""
    lease = os.open(folder / FILE, os.O_RDWR | os.O_CREAT, 0o600)
    try:
        yield 0 if _lock(lease) else _read(lease)[1]
    finally:
        os.close(lease)


def write(lease: int, owner: int, group: int) -> None:
    """Write the owner's process id and the broker's process group (0: not started)."""
    os.pwrite(lease, f"{owner} {group}".encode().ljust(SIZE), 0)


def _read(lease: int) -> tuple[int, int]:
    owner, _, group = os.pread(lease, SIZE, 0).decode().partition(" ")
    return int(owner or 0), int(group or 0)


def _lock(lease: int) -> bool:
    try:
        fcntl.flock(lease, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    return True


def _is_alive(process: int) -> bool:
    try:
        os.kill(process, 0)
    except ProcessLookupError:
        return False
    except PermissionError:  # it is another user's
        return True
    return process > 0  # 0 means none here; for kill it is the caller's own group
