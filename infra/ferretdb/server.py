"""A FerretDB for tests, on loopback, with all that it keeps in one folder."""

import socket
import subprocess
import sys
import time
from pathlib import Path
from types import TracebackType
from typing import Self

from infra import guard
from infra.errors import InfraError
from infra.ports import any_free

HOST = "127.0.0.1"
LOG = "ferretdb.log"
START_LIMIT = 120.0  # seconds; 1 is usual


class FerretDB:
    """A server that ends with the process that started it; its data outlives a stop and a kill."""

    def __init__(self, program: Path, folder: Path) -> None:
        """Starts nothing yet; `program` is what build.program gives."""
        self._program = program
        self._folder = folder
        self._address = f"{HOST}:{any_free()}"
        self._guard: subprocess.Popen[bytes] | None = None

    @property
    def url(self) -> str:
        """For clients, without a database; the same after each start."""
        return f"mongodb://{self._address}/"

    def start(self) -> None:
        """Returns when it accepts connections; raises InfraError when it does not."""
        self._folder.mkdir(parents=True, exist_ok=True)
        with (self._folder / LOG).open("ab") as log:
            self._guard = subprocess.Popen(
                [sys.executable, "-I", guard.__file__, self._program, self._address, self._folder],
                stdin=subprocess.PIPE,
                stdout=log,
                stderr=log,
            )
        deadline = time.monotonic() + START_LIMIT
        while not self._answers():
            if self._guard.poll() is not None or time.monotonic() > deadline:
                self.stop()
                raise InfraError(f"FerretDB did not start; see {self._folder / LOG}")
            time.sleep(0.05)

    def stop(self) -> None:
        """Ends it cleanly; no error if it has ended."""
        if self._guard is not None:
            assert self._guard.stdin is not None
            self._guard.stdin.close()
            self._guard.wait()
            self._guard = None

    def __enter__(self) -> Self:
        self.start()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.stop()

    def _answers(self) -> bool:
        host, _, port = self._address.rpartition(":")
        try:
            socket.create_connection((host, int(port)), timeout=1).close()
        except OSError:
            return False
        return True
