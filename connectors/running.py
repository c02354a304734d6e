"""The note of a running deployment in its data folder, for other processes."""

import json
import os
import socket
from pathlib import Path
from typing import Any


class NotRunning(Exception):
    """No broker is known; the text names the remedy."""


def note_path(data_dir: Path) -> Path:
    """Return where the deployment of a data folder leaves its note."""
    return data_dir / "running.json"


def running_note(data_dir: Path) -> dict[str, Any]:
    """Read the settings of the running deployment of a data folder; raises NotRunning."""
    host = socket.gethostname()
    try:
        values: dict[str, Any] = json.loads(note_path(data_dir).read_text("utf-8"))
        host = values.pop("host", host)
        os.kill(values.pop("process"), 0)  # it may have been killed before it deleted its note
    except (FileNotFoundError, ProcessLookupError):
        elsewhere = "" if host == socket.gethostname() else f" by this machine, perhaps by {host}"
        raise NotRunning(
            f"Nothing runs in {data_dir}{elsewhere}. Start 'vokter up', name the folder of a "
            "running one with --data-dir, or name your brokers: VOKTER_KAFKA=host:port."
        ) from None
    return {name: tuple(each) if isinstance(each, list) else each for name, each in values.items()}
