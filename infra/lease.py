"""At most one broker on a data folder.

The broker's own processes hold a lock on a file in the folder: they inherit it, so it ends with
the last of them, however they end, and a file left behind locks nobody out.
"""

import fcntl
import os
import signal
import time
from contextlib import suppress
from pathlib import Path

from infra.errors import InfraError

FILE = "broker.lock"
MOMENT = 2.0  # seconds for the last process of a broker just killed to vanish
PATIENCE = 30.0  # seconds for an orphan to end by itself


def take(folder: Path) -> int:
    """Returns a file descriptor that holds the folder; hand it on, then close it.

    A broker whose owner is dead is on its way out: its guard is waited for, at last killed.
    One whose guard is dead has ended, and the last of it is waited for.

    Raises:
        InfraError: a broker with a living owner has the folder.
    """
    lease = os.open(folder / FILE, os.O_RDWR | os.O_CREAT, 0o600)
    began = time.monotonic()
    while not _lock(lease):
        waited = time.monotonic() - began
        owner, group = _read(lease)
        if _is_alive(owner) and (not group or _is_alive(group)):
            if waited > MOMENT:
                os.close(lease)
                raise InfraError(
                    f"A broker already runs in {folder} (started by process {owner}). "
                    "Stop that process, or choose another data folder."
                )
        elif group and (waited > PATIENCE or not _is_alive(group)):
            with suppress(ProcessLookupError, PermissionError):
                os.killpg(group, signal.SIGKILL)
        time.sleep(0.1)
    write(lease, os.getpid(), 0)
    return lease


def write(lease: int, owner: int, group: int) -> None:
    """Notes the owner's process id and the broker's process group (0: not started)."""
    os.ftruncate(lease, 0)
    os.pwrite(lease, f"{owner} {group}".encode(), 0)


def _read(lease: int) -> tuple[int, int]:
    owner, _, group = os.pread(lease, 64, 0).decode().partition(" ")
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
    except PermissionError:  # another user's
        return True
    return process > 0  # 0 stands for none; kill takes it for the caller's own group
