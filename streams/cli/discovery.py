"""How a command finds the deployment that it works on.

``VOKTER_KAFKA`` names its brokers; without it, ``vokter up`` has left a note in the data folder.
"""

import json
from contextlib import suppress
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from connectors.running import NotRunning, note_path, running_note
from infra.files import replace_text

if TYPE_CHECKING:
    from streams.settings import Settings


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
    allow_private: tuple[str, ...] = ()
    allow_ports: tuple[int, ...] = ()
    proxy: str | None = None
    proxies: tuple[str, ...] = ()
    contact: str | None = None

    def write(self, data_dir: Path) -> None:
        """Write the note in the data folder."""
        replace_text(note_path(data_dir), json.dumps(asdict(self)))


def forget_deployment(data_dir: Path) -> None:
    """Delete the note in the data folder."""
    note_path(data_dir).unlink(missing_ok=True)


def with_broker(settings: "Settings") -> "Settings":
    """Complete settings by those of the running deployment; raises NotRunning."""
    if settings.kafka is not None:
        return settings
    return settings.model_copy(update=running_note(settings.data_dir))


def with_running(settings: "Settings") -> "Settings":
    """Do the same if a deployment runs; else return the settings as they are."""
    with suppress(NotRunning):
        return with_broker(settings)
    return settings
