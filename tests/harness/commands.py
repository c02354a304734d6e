"""Commands of ``vokter``, and other programs, as a person types them."""

import asyncio
import subprocess
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from signal import SIGKILL, Signals
from tempfile import mkdtemp
from typing import Self

from tests.harness.processes import VOKTER
from tests.harness.template import spawn
from tests.harness.waiting import TIMEOUT_S, until


@dataclass(frozen=True, slots=True)
class Result:
    """How a command ended, and what it printed."""

    status: int
    out: str
    err: str


class Command:
    """A running command; an async context manager that leaves nothing running."""

    def __init__(
        self,
        env: Mapping[str, str],
        folder: Path,
        *arguments: str,
        program: Sequence[str] = VOKTER,
        stdin: int = subprocess.DEVNULL,
    ) -> None:
        """``stdin`` may be a pipe: it ends with this process, however that ends."""
        here = Path(mkdtemp(dir=folder))
        self._out, self._err = here / "out", here / "err"
        with self._out.open("wb") as out, self._err.open("wb") as err:
            line = [*program, *arguments]
            shown = {**env, "PYTHONUNBUFFERED": "1"}  # a person's terminal gets each line at once
            self._process = spawn(line, shown, stdin, out.fileno(), err.fileno())

    @property
    def pid(self) -> int:
        return self._process.pid

    @property
    def out(self) -> str:
        return self._out.read_text("utf-8", "replace")  # half a character yet, perhaps

    @property
    def err(self) -> str:
        return self._err.read_text("utf-8", "replace")

    async def says(self, text: str) -> None:
        """Wait until it has printed this; AssertionError if it ends without."""

        def said() -> bool:
            ended = self._process.poll() is not None
            if text in self.out + self.err:
                return True
            assert not ended, f"ended without {text!r}:\n{self.out}{self.err}"
            return False

        await until(said, f"{text!r} is printed")

    def type(self, text: str) -> None:
        """Write all that comes on its standard input, which is a pipe."""
        assert self._process.stdin is not None
        self._process.stdin.write(text.encode())
        self._process.stdin.close()

    def signal(self, number: Signals) -> None:
        """Send it a signal."""
        self._process.send_signal(number)

    def write(self, text: str) -> None:
        """Type what it reads from a pipe."""
        assert self._process.stdin is not None
        self._process.stdin.write(text.encode())
        self._process.stdin.flush()

    async def ended(self) -> Result:
        """Wait for its end."""
        status = await asyncio.to_thread(self._process.wait, TIMEOUT_S)
        if self._process.stdin:
            self._process.stdin.close()
        return Result(status, self.out, self.err)

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(self, *_: object) -> None:
        if self._process.poll() is None:
            self.signal(SIGKILL)
            await self.ended()


async def vokter(env: Mapping[str, str], folder: Path, *arguments: str) -> Result:
    """Run a command to its end."""
    async with Command(env, folder, *arguments) as command:
        return await command.ended()
