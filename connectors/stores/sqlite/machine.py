"""Note the machine of a store.

SQLite's write-ahead log uses memory shared by the processes of a kernel. Two machines with one file
on a network share would ruin the file, so the owner of a store is noted in a file next to the
store, and checked before each opening.
"""

import json
import socket
import uuid
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import TextIO

from connectors.stores.errors import StoreRefused

_MACHINE_ID = Path("/etc/machine-id")
_BOOT_ID = Path("/proc/sys/kernel/random/boot_id")


@dataclass(frozen=True, slots=True)
class Machine:
    """A machine, or a container on a machine.

    ``id`` survives a restart; ``boot`` does not, but is shared by the containers of a kernel.
    """

    id: str
    boot: str
    name: str

    def is_same(self, other: "Machine") -> bool:
        """Whether both are, or were, the same machine."""
        return self.id == other.id or bool(self.boot and self.boot == other.boot)


def this_machine() -> Machine:
    """Identify the machine of this process."""
    name, machine_id = socket.gethostname(), _text(_MACHINE_ID)
    if machine_id in {"", "uninitialized"}:
        node = uuid.getnode()
        # The MAC address, unless made up and so not unique, as in a container.
        machine_id = name if (node >> 40) & 0b11 else f"{node:012x}"
    return Machine(machine_id, _text(_BOOT_ID), name)


def owner_file(database: Path) -> Path:
    """Return the file with the owner of a database; its lock is held for each commit."""
    return database.with_name(f"{database.name}.machine")


def claim(owner: TextIO, machine: Machine, database: Path) -> None:
    """Note a machine as the owner of a database, in a file locked by the caller.

    Raises StoreRefused for the file of another machine.
    """
    text = owner.read()
    known = Machine(**json.loads(text)) if text else machine
    if not known.is_same(machine):
        raise StoreRefused(
            f"Refused: the SQLite store {database} belongs to machine {known.name}; "
            "use a shared store such as MongoDB. If it was moved here permanently and "
            f"nothing on {known.name} uses it any more, delete {owner.name} and start again."
        )
    if not text or known.boot != machine.boot:
        owner.seek(0)
        owner.write(json.dumps(asdict(machine)))
        owner.flush()
        owner.truncate()  # afterwards: on a full disk there is no space for a new text


def _text(path: Path) -> str:
    try:
        return path.read_text().strip()
    except OSError:
        return ""
