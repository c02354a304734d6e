"""The child's end: does its work item by item, until its parent is gone."""

import pickle
import resource
import signal
import socket
import struct
import sys
import time
from collections.abc import Callable, Sequence
from contextlib import suppress
from typing import Any, NamedTuple

from connectors.processes.errors import TooHard
from connectors.processes.pickling import pickled

SIZE = struct.Struct("!Q")
"""Precedes each answer: its length in bytes."""
WORK = struct.Struct("!Qdd")
"""Precedes each piece of work: its length in bytes, its seconds of CPU and its seconds in all."""

Do = Callable[[bytes], bytes]
"""Does a piece of work, and returns the answer."""


class Called(NamedTuple):
    """The result of a call, or its error, and its CPU seconds."""

    result: Any
    error: Exception | None
    seconds: float


class ChildLimits(NamedTuple):
    """The limits of an item of work; the system ends a process beyond them.

    ``cpu_s`` limits its seconds of CPU, ``wall_s`` the elapsed seconds. ``memory_bytes`` is the
    address space of the process, where the system has such a limit. Its parent takes no answer of
    more than ``answer_bytes``.
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
    """Prepare a process for calls of functions."""
    prepare()
    return _call


def _call(work: bytes) -> bytes:
    """Call functions in sequence; pickle a Called for each, or an error of the whole work."""
    try:
        return pickled([_called(*each) for each in pickle.loads(work)])  # noqa: S301  # from our own parent
    except Exception as error:  # noqa: BLE001  # too large, or a result that cannot be pickled
        return pickled(_sendable(error))


def _called(function: Callable[..., Any], arguments: Sequence[Any]) -> Called:
    begun = time.process_time()
    result, failure = None, None
    try:
        result = function(*arguments)
    except (Exception, SystemExit, KeyboardInterrupt) as error:  # noqa: BLE001  # a plug-in may raise anything
        failure = _sendable(error)
    return Called(result, failure, time.process_time() - begun)


def _sendable(error: BaseException) -> Exception:
    """Return an error which can be raised at the other end."""
    if isinstance(error, MemoryError):
        return TooHard("the page took too much memory to read")
    if not isinstance(error, Exception):
        return TooHard(f"the reader ended its process with {error!r}")
    try:
        pickle.loads(pickle.dumps(error))  # noqa: S301  # our own
    except Exception:  # noqa: BLE001  # an error may be anything
        return TooHard(f"the reader failed: {error!r}"[:1000])
    return error
