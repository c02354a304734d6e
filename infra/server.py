"""A server that runs as a child process: started, awaited, stopped, and never left behind."""

import os
import signal
import subprocess
import sys
import time
from abc import ABC, abstractmethod
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path
from types import TracebackType
from typing import Self, TypeAlias

from infra import guard
from infra.errors import InfraError

START_TIMEOUT_S = 300.0
STOP_TIMEOUT_S = guard.KILL_AFTER_S + 10.0
POLL_EVERY_S = 0.05

Guard: TypeAlias = "subprocess.Popen[bytes]"
"""The process of infra.guard, which runs the server; both are in one process group."""


class Server(ABC):
    """A server that ends with the process that started it.

    Use it as a context manager, or call start and stop:

        with LocalBroker(Path("data")) as broker:
            print(broker.bootstrap)
    """

    def __init__(self) -> None:
        """Start nothing yet."""
        self._guard: Guard | None = None
        self._is_cancelled = False

    @property
    def is_running(self) -> bool:
        """Whether the server's process is alive."""
        return self._guard is not None and self._guard.poll() is None

    def start(self) -> None:
        """Start the server and wait until it answers.

        Raises:
            InfraError: it did not answer in time, or ended; the text has the reason.
        """
        self._guard = self._launch()
        try:
            self._await_answer()
        except BaseException:
            self.kill()
            raise

    def cancel_start(self) -> None:
        """End a start that another thread waits for; it raises InfraError there."""
        self._is_cancelled = True

    def stop(self) -> None:
        """Stop the server, by force if that takes too long; no error if it has ended."""
        if self._guard is None:
            return
        self._guard.terminate()
        # A guard that was itself killed may have left the server running.
        with suppress(subprocess.TimeoutExpired):
            if self._guard.wait(STOP_TIMEOUT_S) >= 0:
                self._close()
        self.kill()

    def kill(self) -> None:
        """End the server at once, as a crash would (SIGKILL)."""
        if self._guard is None:
            return
        with suppress(ProcessLookupError, PermissionError):  # macOS says so of a dead group
            os.killpg(self._guard.pid, signal.SIGKILL)
        self._guard.wait()
        self._close()

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

    @abstractmethod
    def _launch(self) -> Guard:
        """Start the server's process, with ``spawn_guarded``."""

    @abstractmethod
    def answers(self) -> bool:
        """Whether the server answers clients."""

    @abstractmethod
    def _failure(self) -> str:
        """The message for a server that did not start."""

    def _await_answer(self) -> None:
        deadline = time.monotonic() + START_TIMEOUT_S
        while not self.answers():
            if self._is_cancelled:
                raise InfraError("The start was cancelled.")
            if not self.is_running or time.monotonic() > deadline:
                raise InfraError(self._failure())
            time.sleep(POLL_EVERY_S)

    def _close(self) -> None:
        if self._guard and self._guard.stdin:
            self._guard.stdin.close()
        self._guard = None


def spawn_guarded(
    command: Sequence[str],
    log: Path,
    *,
    folder: Path | None = None,
    pass_fds: Sequence[int] = (),
) -> Guard:
    """Start a command, in its own process group, that ends with this process.

    Args:
        command: the program and its arguments.
        log: file that its output is appended to.
        folder: working directory; None for that of this process.
        pass_fds: file descriptors that the command inherits.
    """
    with log.open("ab") as output:
        return subprocess.Popen(
            [sys.executable, "-I", guard.__file__, *command],
            cwd=folder,
            stdin=subprocess.PIPE,
            stdout=output,
            stderr=output,
            pass_fds=pass_fds,
            start_new_session=True,
        )
