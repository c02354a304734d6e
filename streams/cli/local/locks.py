"""Locks in the data folder: a ``vokter up`` for each folder, a folder for each worker."""

import fcntl
import json
import os
import socket
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from secrets import token_hex

from infra.files import replace_text
from infra.mounts import network_file_system
from streams.settings import Settings

MAX_WORKERS = 1000
UP_LOCK = "up.lock"
MEMBER = "member.json"
"""The file of a worker's folder with its member id."""


class AlreadyRunning(Exception):
    """Another process holds the lock; the text names the process and the remedy."""


@contextmanager
def exclusive_lock(path: Path, what: str) -> Iterator[None]:
    """Hold a lock file with our process id; raises AlreadyRunning if another holds the file.

    The system drops the lock at any end of the process.
    """
    path.parent.mkdir(parents=True, exist_ok=True)
    with path.open("a+") as file:
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            owner = _owner(path)
            raise AlreadyRunning(
                f"{what} is already running in {path.parent} ({owner}). {_remedy(owner)}, or "
                "choose another folder with --data-dir."
            ) from None
        file.truncate(0)
        file.write(f"{os.getpid()} {socket.gethostname()}")
        file.flush()
        try:
            yield
        finally:
            file.truncate(0)


@dataclass(frozen=True, slots=True)
class LockOwner:
    """The process in a lock file, and its machine, empty if unknown."""

    process: str
    host: str

    def __str__(self) -> str:
        """Name the process, and its machine if another."""
        return f"process {self.process}" + (f" on {self.host}" if self.is_elsewhere else "")

    @property
    def is_elsewhere(self) -> bool:
        """Whether the process is, or was, on another machine."""
        return self.host not in {"", socket.gethostname()}


def _owner(lock: Path) -> LockOwner:
    process, _, host = lock.read_text("utf-8", "replace").strip().partition(" ")
    return LockOwner(process or "unknown", host)


def _remedy(owner: LockOwner) -> str:
    if owner.is_elsewhere:
        return "Stop it there"
    state = ""
    with suppress(OSError):  # it is Linux's alone
        # proc_pid_stat(5): the name, in brackets, may have any characters.
        stat = Path("/proc", owner.process, "stat").read_text("utf-8", "replace")
        state = stat.rpartition(") ")[2]
    if state.startswith(("T", "t")):
        return (
            "It is suspended, as by Ctrl-Z, and holds the folder and its ports until it goes on: "
            f"'kill -CONT {owner.process}', and 'kill {owner.process}' to stop it"
        )
    return "Stop it"


def shared_folder_notes(settings: Settings) -> Iterator[str]:
    """Warn of a data folder or a store on a network file system."""
    files = [] if settings.store_file is None else [settings.store_file]
    for folder in dict.fromkeys([settings.data_dir, *(each.parent for each in files)]):
        if (kind := network_file_system(folder)) is not None:
            yield (
                f"{folder} is on a network file system ({kind}): only one machine may use it. Its "
                "locks may not keep another one out, and two that write the same files damage the "
                f"tables and the store. {_last_use(folder)}Better choose a folder on this machine "
                "with --data-dir."
            )


def _last_use(folder: Path) -> str:
    """Return the machine of the last lock in a folder, if another machine."""
    lock = folder / UP_LOCK
    owner = _owner(lock) if lock.exists() else None
    if owner is None or not owner.is_elsewhere:
        return ""
    return f"Its last use, by {owner}, was not ended: make sure that nothing runs there. "


@contextmanager
def worker_folder(settings: Settings, agent: str) -> Iterator[tuple[Path, str, Callable[[], None]]]:
    """Lock the first free state folder of an agent; yield the folder and the worker's member id.

    The member id is the same at each start of the worker in this folder, so Kafka assigns the
    worker the partitions with state there. A call of the last yielded function drops the id: the
    next start makes another.
    """
    home = settings.data_dir.absolute() / "state" / agent
    for number in range(1, MAX_WORKERS):
        folder = home / str(number)
        try:
            with exclusive_lock(folder / "lock", f"A {agent} worker"):
                yield folder, _member_id(folder, agent), partial(_drop_member_id, folder)
                return
        except AlreadyRunning:
            continue
    raise AlreadyRunning(f"{MAX_WORKERS} {agent} workers are already running in {home}.")


def _member_id(folder: Path, agent: str) -> str:
    """Return the member id noted in a folder, or note a new id.

    A copied folder has the id of another worker, and two with the same id put each other out of
    their group without end. So an id holds for its host name and its path. If a copy has both in
    common, as in two containers, the first worker put out drops the id.
    """
    note, host = folder / MEMBER, socket.gethostname()
    place = {"host": host, "folder": str(folder)}
    with suppress(OSError, ValueError, TypeError, LookupError):
        found = json.loads(note.read_text("utf-8"))
        if place == {name: found[name] for name in place}:
            return str(found["id"])
    made = f"{agent}-{host}-{token_hex(8)}"
    replace_text(note, json.dumps({"id": made, **place}))
    return made


def _drop_member_id(folder: Path) -> None:
    with suppress(OSError):  # the disk may be read-only by now; the process ends in any case
        (folder / MEMBER).unlink(missing_ok=True)
