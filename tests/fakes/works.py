"""Pieces of work for other processes, which import no test and no pytest with them."""

import os
import signal
import time
from pathlib import Path

from connectors.processes.child import Do
from connectors.processes.documents import MEMORY_LIMIT
from connectors.readers import Unreadable


def nothing() -> None:
    """Prepare nothing."""


def asleep(seconds: float, *_: object) -> str:
    time.sleep(seconds)
    return "awake"


def at_work(seconds: float) -> str:
    """Compute for so long."""
    end = time.process_time() + seconds
    while time.process_time() < end:
        pass
    return "done"


def killed() -> None:
    os.kill(os.getpid(), signal.SIGKILL)


def killed_once(begun: Path, gate: Path) -> None:
    """Say that this has begun, and be killed once there is a gate."""
    begun.touch()
    while not gate.exists():
        time.sleep(0.01)
    killed()


def hungry() -> int:
    return len(bytes(MEMORY_LIMIT))


def ended() -> None:
    os.kill(os.getpid(), signal.SIGSEGV)


def left() -> None:
    raise SystemExit("bye")


class UntransportableError(Exception):
    def __init__(self, first: str, second: str) -> None:
        super().__init__(first)
        self.second = second


def untransportable() -> None:
    raise UntransportableError("one", "two")


def refused() -> None:
    raise Unreadable("no text")


def that_lies() -> Do:
    return lambda work: bytes(int(work))


def that_does_not_end() -> Do:
    def sleep(_: bytes) -> bytes:
        signal.setitimer(signal.ITIMER_REAL, 0)
        time.sleep(600)
        return b""

    return sleep


def that_hangs_up() -> Do:
    def hang_up(_: bytes) -> bytes:
        signal.setitimer(signal.ITIMER_REAL, 0)
        os.closerange(3, 256)
        time.sleep(600)
        return b""

    return hang_up


def with_environment() -> Do:
    return lambda _: Path("/proc/self/environ").read_bytes()
