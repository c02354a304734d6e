"""The processes of ``vokter up``: restarted when they end, ended with their parent, and logged."""

import asyncio
import os
import shutil
import signal
import sys
import threading
import time
from collections.abc import Mapping, Sequence
from contextlib import suppress
from pathlib import Path

from streams.cli.local.fork_server import ForkedProcess, ForkServer
from streams.cli.output import Say

# -P: modules in the current directory are not those of this program.
PROGRAM = (sys.executable, "-P", "-m", "streams.cli")
STDIN = 0
LONGEST_PAUSE_S = 30.0
STEADY_S = 60.0
"""Seconds after which a process restarts without a longer pause."""
STOP_TIMEOUT_S = 40.0
ORPHAN_TIMEOUT_S = 10.0
"""Seconds for an orphan to stop cleanly; its broker may have ended with its parent."""
MAX_LOG = 10_000_000
"""Bytes of a log before its rotation."""
KEPT = 2
"""Older parts kept of each log: NAME.log.1 is the newest of them."""
LOOK_EVERY_S = 1.0


class SupervisedProcess:
    """A process restarted after each end; its output goes to a log file."""

    def __init__(
        self,
        name: str,
        command: Sequence[str],
        env: Mapping[str, str],
        logs: Path,
        say: Say,
        server: ForkServer | None = None,
    ) -> None:
        """Start nothing yet; the log is ``NAME.log`` in the folder ``logs``.

        A ``server`` forks the process, if the command is from ``vokter_command``.
        """
        self.name = name
        self.process: asyncio.subprocess.Process | ForkedProcess | None = None
        self._server = server
        self._command = command
        self._env = env
        self.log = logs / f"{name}.log"
        self._say = say

    async def run(self) -> None:
        """Keep the process running until cancelled; each quick end doubles the next pause."""
        pause = 1.0
        loop = asyncio.get_running_loop()
        while True:
            begun = loop.time()
            try:
                end = f"ended with status {await self._run_once()}"
            except Exception as error:  # noqa: BLE001 - a full disk has no room for its log either
                end = f"could not be started ({error})"
            pause = 1.0 if loop.time() - begun > STEADY_S else pause
            self._say(f"{self.name} {end}; restarting it in {pause:g} s. Log: {self.log}")
            await asyncio.sleep(pause)
            pause = min(pause * 2, LONGEST_PAUSE_S)

    async def stop(self) -> None:
        """Stop the process (SIGTERM), and kill a slow process."""
        process = self.process
        if process is None or process.returncode is not None:
            return
        process.send_signal(signal.SIGTERM)
        try:
            async with asyncio.timeout(STOP_TIMEOUT_S):
                await process.wait()
        except TimeoutError:
            self._say(f"{self.name} did not stop within {STOP_TIMEOUT_S:g} s; killing it.")
            process.kill()
            await process.wait()

    async def _run_once(self) -> int:
        self.log.parent.mkdir(parents=True, exist_ok=True)
        with self.log.open("ab") as log:
            process: asyncio.subprocess.Process | ForkedProcess | None = None
            if self._server is not None:
                with suppress(OSError):  # it has ended
                    arguments = self._command[len(PROGRAM) :]
                    process = await self._server.start(self.name, arguments, self._env, log)
            if process is None:
                process = await asyncio.create_subprocess_exec(
                    *self._command,
                    env={**os.environ, **self._env},
                    # The process ends when this pipe does: see end_with_parent.
                    stdin=asyncio.subprocess.PIPE,
                    stdout=log,
                    stderr=log,
                    start_new_session=True,
                )
            self.process = process
        return await process.wait()


def vokter_command(*arguments: str) -> list[str]:
    """Return the command line for ``vokter`` as a supervised process."""
    return [*PROGRAM, "--with-parent", *arguments]


def end_with_parent() -> None:
    """End this process once its parent has ended, in whatever way.

    Standard input is a pipe from the parent: its end means the end of the parent.
    """

    def wait() -> None:
        # Not sys.stdin: there is none in a process forked from one that was started without.
        while os.read(STDIN, 4096):
            pass
        os.kill(os.getpid(), signal.SIGTERM)
        time.sleep(ORPHAN_TIMEOUT_S)
        os.kill(os.getpid(), signal.SIGKILL)

    threading.Thread(target=wait, daemon=True).start()


async def keep_logs_small(logs: Sequence[Path]) -> None:
    """Rotate each too large log, until cancelled."""
    while True:
        await asyncio.sleep(LOOK_EVERY_S)
        for log in logs:
            with suppress(OSError):  # deleted, or there is no space; look again
                if log.stat().st_size > MAX_LOG:
                    await asyncio.to_thread(rotate_log, log)


def rotate_log(log: Path) -> None:
    """Move the content of a log to NAME.log.1, and older parts one further.

    The writer of the log goes on with the same file, so this copies and truncates; lines in between
    are lost.
    """
    for number in range(KEPT, 1, -1):
        with suppress(FileNotFoundError):
            _part(log, number - 1).replace(_part(log, number))
    try:
        shutil.copyfile(log, _part(log, 1))
    finally:
        os.truncate(log, 0)  # on a full disk this makes the space that a copy lacks


def _part(log: Path, number: int) -> Path:
    return log.with_name(f"{log.name}.{number}")
