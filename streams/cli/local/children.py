"""Processes that are started again when they end, and that end with their parent."""

import asyncio
import os
import signal
import sys
import threading
import time
from collections.abc import Mapping, Sequence
from pathlib import Path

from streams.cli.text import Say

LONGEST_PAUSE = 30.0
STEADY = 60.0
STOP = 40.0
ORPHANED = 10.0
"""Seconds that an orphan has to end by itself; its broker may be gone, too."""


class Child:
    """One supervised process; its output goes to a file."""

    def __init__(
        self, name: str, command: Sequence[str], env: Mapping[str, str], logs: Path, say: Say
    ) -> None:
        """Start nothing yet."""
        self.name = name
        self.process: asyncio.subprocess.Process | None = None
        self._command = command
        self._env = env
        self._log = logs / f"{name}.log"
        self._say = say

    async def run(self) -> None:
        """Keep the process running until cancelled; waits longer after each quick end."""
        pause = 1.0
        loop = asyncio.get_running_loop()
        while True:
            begun = loop.time()
            try:
                end = f"ended with status {await self._once()}"
            except OSError as error:  # a full disk has no room for its log either
                end = f"could not be started ({error})"
            pause = 1.0 if loop.time() - begun > STEADY else pause
            self._say(f"{self.name} {end}, starting it again in {pause:g} s")
            self._say(f"  its log: {self._log}")
            await asyncio.sleep(pause)
            pause = min(pause * 2, LONGEST_PAUSE)

    async def stop(self) -> None:
        """Ask the process to end (SIGTERM), and make it end if it takes too long."""
        process = self.process
        if process is None or process.returncode is not None:
            return
        process.send_signal(signal.SIGTERM)
        try:
            async with asyncio.timeout(STOP):
                await process.wait()
        except TimeoutError:
            self._say(f"{self.name} did not stop in {STOP:g} s, killing it")
            process.kill()
            await process.wait()

    async def _once(self) -> int:
        self._log.parent.mkdir(parents=True, exist_ok=True)
        with self._log.open("ab") as log:
            self.process = await asyncio.create_subprocess_exec(
                *self._command,
                env={**os.environ, **self._env},
                stdin=asyncio.subprocess.PIPE,
                stdout=log,
                stderr=log,
                start_new_session=True,
            )
        return await self.process.wait()


def command(*arguments: str) -> list[str]:
    """Give the command line of one of our own commands, to be a child's."""
    return [sys.executable, "-m", "streams.cli", "--with-parent", *arguments]


def end_with_parent() -> None:
    """End this process when its parent's end of our standard input is gone, however it went.

    A clean stop commits, and waits long for a broker that went with the parent.
    """

    def wait() -> None:
        while os.read(sys.stdin.fileno(), 4096):
            pass
        os.kill(os.getpid(), signal.SIGTERM)
        time.sleep(ORPHANED)
        os.kill(os.getpid(), signal.SIGKILL)

    threading.Thread(target=wait, daemon=True).start()
