"""Locks in the data folder: one ``vokter up`` for each folder, one folder for each worker."""

import fcntl
import json
import os
import socket
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from functools import partial
from pathlib import Path
from secrets import token_hex

from infra.files import replace_text
from streams.settings import Settings

MAX_WORKERS = 1000
MEMBER = "member.json"
"""The file of a worker's folder with its member id."""


class AlreadyRunning(Exception):
    """Another process holds the lock; the text says which one and what to do."""


@contextmanager
def exclusive_lock(path: Path, what: str) -> Iterator[None]:
    """Hold a lock file with our process id in it; raises AlreadyRunning if another holds it.

    The system drops the lock when the process ends, however it ends.
    """
    path.parent.mkdir(parents=True, exist_ok=True)
    with path.open("a+") as file:
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            file.seek(0)
            owner = file.read().strip() or "unknown"
            raise AlreadyRunning(
                f"{what} is already running in {path.parent} (process {owner}). "
                "Stop it, or choose another folder with --data-dir."
            ) from None
        file.truncate(0)
        file.write(str(os.getpid()))
        file.flush()
        yield


@contextmanager
def worker_folder(settings: Settings, agent: str) -> Iterator[tuple[Path, str, Callable[[], None]]]:
    """Lock the first free state folder of an agent; yield it and the worker's member id.

    The member id is the same whenever the worker restarts in this folder, so that Kafka
    assigns it the partitions that have their state there. A call of what is yielded last drops
    it: the next start makes another one.
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
    """Return the member id that is noted in a folder, or note a new one.

    A folder that has been copied has that of another worker, and two with one id put each other
    out of their group without end. So an id holds for the host name and the path that it was
    made for. Where a copy has both in common, as in two containers, the worker that is put out
    first drops it.
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
