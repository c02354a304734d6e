"""A deployment under the supervisor of ``vokter up``."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress

from streams.cli.local.supervisor import SupervisedProcess, vokter_command
from streams.settings import Settings
from tests.harness.processes import ON_THE_WAY, TOGETHER


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
            child = SupervisedProcess(
                name, line, self.settings.environment(), logs, self.said.append
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
