"""This process and the system: its turns on a core, its open files, what it leaves.

The processes of a deployment wake up each other. On a busy machine each message would interrupt
another process, the data of which leave the caches of the core, and would then be handled by
itself, although more are about to come.
"""

import ctypes
import os
import resource
import struct
import sys
from contextlib import suppress
from multiprocessing import util
from typing import Any

OPEN_FILES = 10_240
"""Files that a process may have, if the system lets it; macOS allows no more."""
TURN_NS = 20_000_000
"""Nanoseconds of a turn, in place of Linux's 1.4 million or so; a free core is given at once."""
_SET_ATTRIBUTES = {"x86_64": 314, "aarch64": 274}
"""The number of sched_setattr(2), by architecture: most C libraries have no function for it."""
_ATTRIBUTES = struct.Struct("=IIQiIQQQ")
"""The ``sched_attr`` of Linux: its size, the policy, four other values, the turn, and two more."""


def take_long_turns() -> None:
    """Interrupt no other process, and ask for long turns, for all later threads and children too.

    Before Linux 6.12 the length of a turn is the system's own.
    """
    if sys.platform != "linux":
        return
    with suppress(OSError):  # a container may forbid it
        os.sched_setscheduler(0, os.SCHED_BATCH, os.sched_param(0))
    number = _SET_ATTRIBUTES.get(os.uname().machine)
    if number is not None and sys.maxsize > 2**32:
        values = (_ATTRIBUTES.size, os.SCHED_BATCH, 0, os.getpriority(os.PRIO_PROCESS, 0), 0)
        ctypes.CDLL(None).syscall(number, 0, _ATTRIBUTES.pack(*values, TURN_NS, 0, 0), 0)


def allow_open_files() -> None:
    """Raise the limit of open files: each connection and each file of a table is one."""
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    wanted = OPEN_FILES if hard == resource.RLIM_INFINITY else min(OPEN_FILES, hard)
    if soft != resource.RLIM_INFINITY and soft < wanted:
        resource.setrlimit(resource.RLIMIT_NOFILE, (wanted, hard))


def remove_sockets() -> None:
    """Remove the folder of multiprocessing, with its fork server's socket.

    Python does it at its end, which ``os._exit`` does not wait for. In a forked process the
    folder of its parent stays.
    """
    own: Any = util  # its own parts: no public function does so
    for finalizer in [*own._finalizer_registry.values()]:  # noqa: SLF001
        if finalizer._callback is own._remove_temp_dir:  # noqa: SLF001
            finalizer()
