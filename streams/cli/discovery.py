"""How a command finds the deployment that it works on.

``VOKTER_KAFKA`` names its brokers; without it, ``vokter up`` has left a note in the data folder.
"""

import json
import os
import socket
from contextlib import suppress
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Self

from infra.files import replace_text

if TYPE_CHECKING:
    from streams.settings import Settings


class NotRunning(Exception):
    """No broker is known; the text says what to do."""


@dataclass(frozen=True, slots=True)
class RunningDeployment:
    """The settings of a running ``vokter up`` that other commands need, whatever their own are."""

    kafka: str
    port: int
    topic_prefix: str
    partitions: int
    min_interval: int
    process: int
    host: str

    @classmethod
    def of(cls, settings: "Settings") -> Self:
        """Return the note of the deployment that this process runs with these settings."""
        return cls(
            kafka=settings.kafka or "",
            port=settings.port,
            topic_prefix=settings.topic_prefix,
            partitions=settings.partitions,
            min_interval=settings.min_interval,
            process=os.getpid(),
            host=socket.gethostname(),
        )

    def write(self, data_dir: Path) -> None:
        """Write the note in the data folder."""
        replace_text(_file(data_dir), json.dumps(asdict(self)))


def forget_deployment(data_dir: Path) -> None:
    """Delete the note in the data folder, if it is of this process."""
    with suppress(FileNotFoundError):
        if json.loads(_file(data_dir).read_text("utf-8"))["process"] == os.getpid():
            _file(data_dir).unlink()


def with_broker(settings: "Settings") -> "Settings":
    """Complete settings by those of the running deployment; raises NotRunning."""
    if settings.kafka is not None:
        return settings
    here, host = settings.data_dir, socket.gethostname()
    try:
        values = json.loads(_file(here).read_text("utf-8"))
        host = values.pop("host", host)
        os.kill(values.pop("process"), 0)  # it may have been killed before it deleted its note
    except (FileNotFoundError, ProcessLookupError):
        elsewhere = "" if host == socket.gethostname() else f" by this machine, perhaps by {host}"
        raise NotRunning(
            f"Nothing runs in {here}{elsewhere}. Start 'vokter up', name the folder of a "
            "running one with --data-dir, or name your brokers: VOKTER_KAFKA=host:port."
        ) from None
    return settings.model_copy(update=values)


def _file(data_dir: Path) -> Path:
    return data_dir / "running.json"
