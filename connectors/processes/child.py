"""The child's end: does one piece of work after another, until its parent is gone."""

import pickle
import resource
import signal
import socket
import struct
import sys
import time
from collections.abc import Callable
from contextlib import suppress
from typing import NamedTuple

from connectors.processes.errors import TooHard

SIZE = struct.Struct("!Q")
"""Precedes each answer: its length in bytes."""
WORK = struct.Struct("!Qdd")
"""Precedes each piece of work: its length in bytes, its seconds of CPU and its seconds in all."""

Do = Callable[[bytes], bytes]
"""Does a piece of work, and returns the answer."""


class Limits(NamedTuple):
    """The limits of a piece of work; the system ends a process that takes more.

    ``cpu_s`` limits its seconds of CPU, ``wall_s`` those that pass meanwhile. ``memory_bytes``
    of address space is what the process gets, where the system can limit that. Its parent takes no
    answer of more than ``answer_bytes``.
    """

    cpu_s: float
    wall_s: float
    memory_bytes: int
    answer_bytes: int


def serve(parent: socket.socket, begin: Callable[[], Do], memory_bytes: int) -> None:
    """Answer each piece of work, until the other end of the socket is closed."""
    # Be ready to be ended at any moment, by nothing that has to wait for Python.
    signal.signal(signal.SIGTERM, signal.SIG_DFL)
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    if sys.platform == "linux":
        resource.setrlimit(resource.RLIMIT_AS, (memory_bytes, memory_bytes))
    do = begin()
    with parent, parent.makefile("rb") as works, suppress(ConnectionError):
        while len(head := works.read(WORK.size)) == WORK.size:
            size, *seconds = WORK.unpack(head)
            work = works.read(size)
            # The system's own timers end this process if it takes too long: that works in the
            # middle of a parser, for an orphan, and without any lock. The work is measured by
            # the CPU that it takes: that others have the cores meanwhile is no fault of its.
            _set_timers(*seconds)
            answer = do(work)
            _set_timers(0, 0)
            parent.sendall(SIZE.pack(len(answer)) + answer)


def _set_timers(cpu_s: float, wall_s: float) -> None:
    signal.setitimer(signal.ITIMER_PROF, cpu_s)
    signal.setitimer(signal.ITIMER_REAL, wall_s)


def begin_calls(prepare: Callable[[], None]) -> Do:
    """Prepare a process that calls functions."""
    prepare()
    return _call


def _call(work: bytes) -> bytes:
    """Call a function; pickle its result with the CPU seconds that it took, or its error."""
    begun = time.process_time()
    try:
        function, arguments = pickle.loads(work)  # noqa: S301  # from our own parent
        return pickle.dumps((True, (function(*arguments), time.process_time() - begun)))
    except MemoryError:
        return _failure(TooHard("the page took too much memory to read"))
    except (SystemExit, KeyboardInterrupt) as error:  # a plug-in may raise anything
        return _failure(TooHard(f"the reader ended its process with {error!r}"))
    except Exception as error:  # noqa: BLE001  # the caller gets it with the result
        return _failure(error)


def _failure(error: Exception) -> bytes:
    """Pickle an error to be raised at the other end, if it can be unpickled there."""
    try:
        answer = pickle.dumps((False, error))
        pickle.loads(answer)  # noqa: S301  # our own
    except Exception:  # noqa: BLE001  # an error may be anything
        return pickle.dumps((False, TooHard(f"the reader failed: {error!r}"[:1000])))
    return answer
