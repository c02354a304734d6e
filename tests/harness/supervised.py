"""A deployment under the supervisor of ``vokter up``."""

import asyncio
import os
from collections.abc import AsyncIterator, Mapping, Sequence
from contextlib import asynccontextmanager, suppress
from signal import SIGKILL
from subprocess import PIPE
from typing import IO, Any

from streams.cli.local.supervisor import SupervisedProcess, vokter_command
from streams.settings import Settings
from tests.harness.processes import ON_THE_WAY, TOGETHER, VOKTER
from tests.harness.template import Forked, template


class TemplateProcess:
    """A process forked by the template: the part of asyncio's Process for the supervisor."""

    def __init__(self, forked: Forked) -> None:
        self.pid = forked.pid
        self.send_signal = forked.send_signal
        self._forked = forked

    @property
    def returncode(self) -> int | None:
        return self._forked.poll()

    async def wait(self) -> int:
        status = await self._forked.ended()
        assert self._forked.stdin is not None
        self._forked.stdin.close()
        return status

    def kill(self) -> None:
        self.send_signal(SIGKILL)


class TemplateServer:
    """The template in place of the fork server of ``vokter up``."""

    async def start(
        self, name: str, arguments: Sequence[str], env: Mapping[str, str], log: IO[bytes]
    ) -> TemplateProcess:
        line, out = [*VOKTER[2:], *arguments], log.fileno()
        return TemplateProcess(template().fork(line, {**os.environ, **env}, PIPE, out, out))


class Supervised:
    """Processes by name, and all messages of their supervisor."""

    def __init__(self, settings: Settings) -> None:
        self.settings = settings
        self.said: list[str] = []
        self._children: dict[str, SupervisedProcess] = {}
        self._tasks: list[asyncio.Task[None]] = []

    def start(self, *names: str) -> None:
        """Start agents, or ``api``; they are restarted whenever they end.

        The processes of TOGETHER run further agents, too.
        """
        logs = self.settings.data_dir / "logs"
        logs.mkdir(parents=True, exist_ok=True)
        for name in names:
            more = TOGETHER.get(name, ())
            work = ("api",) if name == "api" else ("worker", name, *more)
            line = vokter_command(*work)
            server: Any = TemplateServer()
            child = SupervisedProcess(
                name, line, self.settings.environment(), logs, self.said.append, server
            )
            self._children[name] = child
            self._tasks.append(asyncio.create_task(child.run()))

    def pid(self, name: str) -> int:
        """The process of a child, while it has one."""
        process = self._children[name].process
        assert process is not None
        return process.pid

    def log(self, name: str) -> str:
        """All that a child has logged."""
        return (self.settings.data_dir / "logs" / f"{name}.log").read_text("utf-8", "replace")

    def ends(self, name: str = "") -> list[str]:
        """The messages about ends of a process, or of all."""
        return [line for line in self.said if line.startswith(name) and " ended with " in line]

    async def stop(self) -> None:
        """Stop the supervisor, then all children at once."""
        for task in self._tasks:
            task.cancel()
            with suppress(asyncio.CancelledError):
                await task
        await asyncio.gather(*(child.stop() for child in self._children.values()))


@asynccontextmanager
async def supervised(settings: Settings) -> AsyncIterator[Supervised]:
    """Run all agents and the API until left."""
    deployment = Supervised(settings)
    deployment.start(*ON_THE_WAY, "api")
    try:
        yield deployment
    finally:
        await deployment.stop()
