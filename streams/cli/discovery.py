"""The way of a command to its deployment.

``VOKTER_KAFKA`` names its brokers; otherwise ``vokter up`` has left a note in the data folder.
"""

import json
import os
import socket
from contextlib import suppress
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Self

from connectors.running import NotRunning, note_path, running_note
from infra.files import replace_text

if TYPE_CHECKING:
    from streams.settings import Settings


@dataclass(frozen=True, slots=True)
class RunningDeployment:
    """The settings of a running ``vokter up`` for other commands, which override theirs."""

    kafka: str
    port: int
    topic_prefix: str
    partitions: int
    min_interval: int
    process: int
    host: str
    allow_private: tuple[str, ...] = ()
    allow_ports: tuple[int, ...] = ()
    proxy: str | None = None
    proxies: tuple[str, ...] = ()
    contact: str | None = None
    data_dir: str | None = None
    """The folder of its store and keys, if not the folder of this note."""

    @classmethod
    def of(cls, settings: "Settings") -> Self:
        """Return the note of the deployment of this process with these settings."""
        return cls(
            kafka=settings.kafka or "",
            port=settings.port,
            topic_prefix=settings.topic_prefix,
            partitions=settings.partitions,
            min_interval=settings.min_interval,
            process=os.getpid(),
            host=socket.gethostname(),
            allow_private=settings.allow_private,
            allow_ports=settings.allow_ports,
            proxy=settings.proxy,
            proxies=settings.proxies,
            contact=settings.contact,
        )

    def write(self, data_dir: Path) -> None:
        """Write the note in the data folder."""
        replace_text(note_path(data_dir), json.dumps(asdict(self)))


def forget_deployment(data_dir: Path) -> None:
    """Delete the note in the data folder, if written by this process."""
    note = note_path(data_dir)
    with suppress(FileNotFoundError):
        if json.loads(note.read_text("utf-8"))["process"] == os.getpid():
            note.unlink()


def with_broker(settings: "Settings") -> "Settings":
    """Complete settings by those of the running deployment; raises NotRunning.

    Settings with other brokers stay as they are. With its own, variables that are set go first.
    """
    try:
        note = running_note(settings.data_dir)
    except NotRunning:
        if settings.kafka is None:
            raise
        return settings
    if settings.kafka not in {None, note["kafka"]}:
        return settings
    own = frozenset() if settings.kafka is None else settings.model_fields_set
    found = {name: value for name, value in note.items() if name not in own}
    found["data_dir"] = Path(note.get("data_dir") or settings.data_dir)
    return settings.model_copy(update=found)


def with_running(settings: "Settings") -> "Settings":
    """Do the same if a deployment runs; else return the settings as they are."""
    with suppress(NotRunning):
        return with_broker(settings)
    return settings
