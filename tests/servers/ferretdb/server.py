"""A FerretDB for tests, on loopback, with all its data in one folder."""

import os
import socket
from pathlib import Path
from signal import Signals

from infra.ports import any_free
from infra.server import Guard, Server, spawn_guarded

HOST = "127.0.0.1"


class FerretDB(Server):
    """A server that speaks MongoDB's protocol; its data survives a stop and a kill."""

    name = "FerretDB"

    def __init__(self, program: Path, folder: Path) -> None:
        """`program` is what `build.program` returns; data and log go into `folder`."""
        super().__init__()
        self._program = program
        self._folder = folder
        self._port = any_free()

    @property
    def address(self) -> str:
        """HOST:PORT, the same after each start."""
        return f"{HOST}:{self._port}"

    @property
    def url(self) -> str:
        """For clients, without a database; the same after each start."""
        return f"mongodb://{self.address}/"

    def signal(self, number: Signals) -> None:
        """Send a signal to its processes."""
        assert self._guard is not None
        os.killpg(self._guard.pid, number)

    @property
    def command(self) -> list[str]:
        """The program and its arguments."""
        return [str(self._program), self.address, str(self._folder)]

    def _launch(self) -> Guard:
        self._folder.mkdir(parents=True, exist_ok=True)
        return spawn_guarded(self.command, self._log)

    def answers(self) -> bool:
        try:
            socket.create_connection((HOST, self._port), timeout=1).close()
        except OSError:
            return False
        return True

    def _failure(self) -> str:
        return f"{self.name} did not start; see {self._log}"

    @property
    def _log(self) -> Path:
        return self._folder / f"{self.name.lower()}.log"
