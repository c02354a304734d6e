"""A FerretDB for tests, on loopback, with all its data in one folder."""

import os
import socket
from pathlib import Path
from signal import Signals

from infra.ports import any_free
from infra.server import Guard, Server, spawn_guarded

HOST = "127.0.0.1"
LOG = "ferretdb.log"


class FerretDB(Server):
    """A server that speaks MongoDB's protocol; its data survives a stop and a kill."""

    def __init__(self, program: Path, folder: Path) -> None:
        """`program` is what `build.program` returns; data and log go into `folder`."""
        super().__init__()
        self._program = program
        self._folder = folder
        self._port = any_free()

    @property
    def url(self) -> str:
        """For clients, without a database; the same after each start."""
        return f"mongodb://{HOST}:{self._port}/"

    def signal(self, number: Signals) -> None:
        """Send a signal to its processes."""
        assert self._guard is not None
        os.killpg(self._guard.pid, number)

    def _launch(self) -> Guard:
        self._folder.mkdir(parents=True, exist_ok=True)
        command = [str(self._program), f"{HOST}:{self._port}", str(self._folder)]
        return spawn_guarded(command, self._folder / LOG)

    def answers(self) -> bool:
        try:
            socket.create_connection((HOST, self._port), timeout=1).close()
        except OSError:
            return False
        return True

    def _failure(self) -> str:
        return f"FerretDB did not start; see {self._folder / LOG}"
