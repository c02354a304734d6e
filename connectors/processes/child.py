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

from connectors.processes.errors import TooHard

MEMORY_LIMIT = 2 * 2**30
"""Bytes of address space of a process, where the system can limit it."""
WALL_FACTOR = 6
"""Work is ended after so many times its CPU seconds even if it had less of the CPU."""
SIZE = struct.Struct("!Q")
"""Precedes each message between parent and child: its length in bytes."""


def serve(parent: socket.socket, begin: Callable[[], None]) -> None:
    """Answer each piece of work, until the other end of the socket is closed."""
    _prepare(begin)
    with parent, parent.makefile("rb") as works, suppress(ConnectionError):
        while len(size := works.read(SIZE.size)) == SIZE.size:
            answer = _answer(works.read(*SIZE.unpack(size)))
            parent.sendall(SIZE.pack(len(answer)) + answer)


def _prepare(begin: Callable[[], None]) -> None:
    """Be ready to be ended at any moment, by nothing that has to wait for Python."""
    signal.signal(signal.SIGTERM, signal.SIG_DFL)
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    if sys.platform == "linux":
        resource.setrlimit(resource.RLIMIT_AS, (MEMORY_LIMIT, MEMORY_LIMIT))
    begin()


def _answer(work: bytes) -> bytes:
    """Call a function; pickle its result with the CPU seconds that it took, or its error."""
    begun = time.process_time()
    try:
        seconds, function, arguments = pickle.loads(work)  # noqa: S301  # from our own parent
        # The system's own timers end this process if it takes too long: that works in the
        # middle of a parser, for an orphan, and without any lock. The page is measured by
        # the CPU that it takes: that others have the cores meanwhile is no fault of its.
        signal.setitimer(signal.ITIMER_PROF, seconds)
        signal.setitimer(signal.ITIMER_REAL, seconds * WALL_FACTOR)
        return pickle.dumps((True, (function(*arguments), time.process_time() - begun)))
    except MemoryError:
        return _failure(TooHard("the page took too much memory to read"))
    except (SystemExit, KeyboardInterrupt) as error:  # a plug-in may raise anything
        return _failure(TooHard(f"the reader ended its process with {error!r}"))
    except Exception as error:  # noqa: BLE001  # the caller gets it with the result
        return _failure(error)
    finally:
        signal.setitimer(signal.ITIMER_PROF, 0)
        signal.setitimer(signal.ITIMER_REAL, 0)


def _failure(error: Exception) -> bytes:
    """Pickle an error to be raised at the other end, if it can be unpickled there."""
    try:
        answer = pickle.dumps((False, error))
        pickle.loads(answer)  # noqa: S301  # our own
    except Exception:  # noqa: BLE001  # an error may be anything
        return pickle.dumps((False, TooHard(f"the reader failed: {error!r}"[:1000])))
    return answer
