"""The files of a local broker as they are at one moment, to be copied while it goes on."""

import os
import signal
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path

from infra import identity, lease
from infra.broker_config import STORAGE
from infra.errors import InfraError

REBUILT = {".index", ".timeindex", ".txnindex"}
"""Kafka maps these files and changes them in place; it makes a missing one again at its start."""
STOP_TIMEOUT_S = 5.0
UNSEEN_S = 0.2
"""For a process to stand still where the system does not say whether it does."""
PROCESSES = Path("/proc")


@dataclass(frozen=True, slots=True)
class StillFile:
    """A file by its path in the broker's folder, a link to it, and how many bytes it had.

    Kafka only appends to a segment, and replaces its other files by new ones, so these bytes
    of the link stay as they were.
    """

    name: str
    link: Path
    size: int


def still_files(folder: Path, links: Path) -> list[StillFile]:
    """Link the files of a broker into another folder of its disk; it stands still meanwhile.

    That takes milliseconds for a thousand files: less than any client waits.

    Raises:
        InfraError: the broker could not be stopped.
        OSError: the files cannot be linked.
    """
    with _standing(folder):
        files = [
            each
            for each in sorted((folder / STORAGE).rglob("*"))
            if each.is_file() and each.suffix not in REBUILT
        ]
        found = []
        for number, each in enumerate([*files, folder / identity.FILE]):
            link = links / str(number)
            os.link(each, link)
            found.append(StillFile(str(each.relative_to(folder)), link, link.stat().st_size))
        return found


@contextmanager
def _standing(folder: Path) -> Iterator[None]:
    """Stop the broker that runs in a folder with SIGSTOP; if none does, let none start."""
    with lease.running_group(folder) as group:
        if not group:
            yield
            return
        os.killpg(group, signal.SIGSTOP)
        try:
            _await_stop(group)
            yield
        finally:
            with suppress(ProcessLookupError):
                os.killpg(group, signal.SIGCONT)


def _await_stop(group: int) -> None:
    """Wait until no thread of the group is within a call of the system."""
    if not PROCESSES.exists():
        time.sleep(UNSEEN_S)
        return
    end = time.monotonic() + STOP_TIMEOUT_S
    while not all(state in "TtZX" for state in _states(group)):
        if time.monotonic() > end:
            raise InfraError(f"The broker (process group {group}) did not stand still in time.")
        time.sleep(0.001)


def _states(group: int) -> Iterator[str]:
    """Yield the state of each thread (proc_pid_stat(5)) of a process group."""
    for process in PROCESSES.glob("[0-9]*"):
        with suppress(OSError):
            if os.getpgid(int(process.name)) == group:
                for thread in process.glob("task/*/stat"):
                    yield thread.read_text("utf-8", "replace").rpartition(") ")[2][0]
