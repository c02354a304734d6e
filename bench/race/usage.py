"""CPU (with that of ended children) and memory of processes, from /proc."""

import os
import subprocess
import threading
import time
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from types import TracebackType
from typing import Self

from tests.harness.family import PROC, descendants

Process = subprocess.Popen[bytes]
TICKS = os.sysconf("SC_CLK_TCK")
SAMPLED_EVERY = 0.25
"""Seconds between two samples of memory."""


@dataclass(frozen=True, slots=True)
class Spent:
    """CPU and wall seconds, and the most memory (bytes) at a time."""

    cpu: float
    wall: float
    memory: int


def family(pid: int) -> set[int]:
    """Return a process with all its descendants."""
    return {pid, *descendants(pid)}


def cpu(pids: set[int]) -> float:
    """Return the CPU seconds of processes, and of their children that were waited for."""
    return sum(map(_cpu, pids))


def branches(pid: int) -> dict[int, set[int]]:
    """Return each child of a process with all its descendants."""
    found: dict[int, set[int]] = {}
    for each in descendants(pid):
        branch = each
        while (above := _parent(branch)) not in (0, pid):
            branch = above
        found.setdefault(branch, set()).add(each)
    return found


def memory(pids: set[int]) -> int:
    """Return bytes: what each process has alone, and its part of what it shares (PSS)."""
    return sum(map(_pss, pids))


def alone(pids: set[int]) -> int:
    """Return bytes as if no other process had the same libraries in memory.

    Counts private memory, memory that these processes share, and mapped files once: those of
    the process that has most.
    """
    every = [_rollup(pid) for pid in pids]
    files = [each["Rss"] - each["Anonymous"] for each in every if each]
    return sum(each["Pss_Anon"] for each in every if each) + max(files, default=0)


def open_files(pids: set[int]) -> int:
    """Return how many files, sockets and pipes processes have open."""
    return sum(map(_open_files, pids))


def threads(pids: set[int]) -> int:
    """Return the number of threads of processes."""
    return sum(int((_stat(pid) or ["0"] * 18)[17]) for pid in pids)


def command(pid: int) -> str:
    """Return a process's command line, an empty text if it has ended."""
    return _read(pid, "cmdline").replace("\0", " ")


def title(pid: int) -> str:
    """Return the name that a process has given itself, an empty text if it has ended."""
    return _read(pid, "comm").strip()


def _cpu(pid: int) -> float:
    return sum(map(int, _stat(pid)[11:15])) / TICKS


def _parent(pid: int) -> int:
    return int((_stat(pid) or "00")[1])


def _stat(pid: int) -> list[str]:
    """Fields of proc(5) from the third on; the second, a name, may hold blanks."""
    return _read(pid, "stat").rpartition(")")[2].split()


def _pss(pid: int) -> int:
    return _rollup(pid).get("Pss", 0)


def _rollup(pid: int) -> dict[str, int]:
    """Return a process's memory in bytes by kind, an empty dict if it has ended."""
    lines = [line.split() for line in _read(pid, "smaps_rollup").splitlines()[1:]]
    return {name.rstrip(":"): int(kilobytes) * 1024 for name, kilobytes, *_ in lines}


def _open_files(pid: int) -> int:
    with suppress(OSError):  # it has just ended
        return sum(1 for _ in (PROC / str(pid) / "fd").iterdir())
    return 0


def _read(pid: int, name: str) -> str:
    try:
        return (PROC / str(pid) / name).read_text("utf-8", "replace")
    except OSError:  # it has just ended
        return ""


class Peak:
    """The most memory that a family of processes had at a time; a context manager."""

    def __init__(
        self, pids: Callable[[], set[int]], look: Callable[[set[int]], int] = memory
    ) -> None:
        """``pids`` returns the processes at any time, ``look`` the bytes that they have."""
        self._pids = pids
        self._look_at = look
        self._ended = threading.Event()
        self._thread = threading.Thread(target=self._look, daemon=True)
        self.memory = 0

    def _look(self) -> None:
        while not self._ended.wait(SAMPLED_EVERY):
            self.memory = max(self.memory, self._look_at(self._pids()))

    def __enter__(self) -> Self:
        self._thread.start()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self._ended.set()
        self._thread.join()


def run(line: Sequence[str], env: Mapping[str, str], out: Path, timeout_s: float) -> Spent:
    """Run a command to its end, with its output in a file; raises if it fails or hangs."""
    begun = time.monotonic()
    process = start(line, env, out)
    killer = threading.Timer(timeout_s, process.kill)
    killer.start()
    with Peak(lambda: family(process.pid)) as peak:
        _, status, used = os.wait4(process.pid, 0)
    killer.cancel()
    process.returncode = os.waitstatus_to_exitcode(status)
    if process.returncode:
        output = out.read_text("utf-8", "replace")[-2000:]
        raise RuntimeError(f"{line[0]} ended with status {process.returncode}: {output}")
    return Spent(used.ru_utime + used.ru_stime, time.monotonic() - begun, peak.memory)


def start(line: Sequence[str], env: Mapping[str, str], out: Path) -> Process:
    """Start a command with its output in a file and no input."""
    with out.open("wb") as file:
        return subprocess.Popen(  # noqa: S603 - our own arguments
            line, env=dict(env), stdin=subprocess.DEVNULL, stdout=file, stderr=file
        )


def version_of(python: Path, package: str) -> str:
    """Return the version of a package in another environment."""
    ask = f"import importlib.metadata as m; print(m.version({package!r}))"
    line = [str(python), "-c", ask]
    return subprocess.run(line, capture_output=True, text=True, check=True).stdout.strip()  # noqa: S603
