"""``vokter up`` in a folder, and the resources that its processes use."""

import asyncio
import sys
from collections.abc import Sequence
from pathlib import Path
from signal import SIGTERM
from subprocess import PIPE
from typing import Any

from bench.race.usage import branches, command, cpu, family, memory, title
from infra.ports import any_free
from streams.settings import Settings
from tests.harness.commands import Command
from tests.harness.processes import VOKTER, environment
from tests.harness.rest import client
from tests.harness.template import ROOT

AT_ONCE = 20
BROKER = "broker"
KEYWORDS = ("odd", "even", "marathon", "new york", "price")
"""Keywords of each subscription; every version of a page has one of the first two."""


class Up:
    """A deployment that can be stopped and restarted in its folder."""

    def __init__(
        self, folder: Path, *, is_apart: bool = False, checkout: Path = ROOT, **settings: Any
    ) -> None:
        """``is_apart``: with a process for each agent, so that each can be measured.

        ``checkout`` is the folder with the code of the commit that runs, ``settings`` are more of
        its settings.
        """
        self._program = VOKTER if checkout == ROOT else program_of(checkout)
        self._settings = Settings(
            kafka=None,
            data_dir=folder,
            port=any_free(),
            min_interval=1,
            host_delay=0,
            allow_private=("127.0.0.0/8",),
            **settings,
        )
        self._line = ("up", "--processes") if is_apart else ("up",)
        self._running: Command | None = None

    async def start(self) -> None:
        """Start, and wait until it prints that it is ready."""
        self._settings.data_dir.mkdir(parents=True, exist_ok=True)
        self._running = started_up(self._settings, *self._line, program=self._program)
        await self._running.says("Ready: ")

    async def stop(self) -> None:
        """Stop it, if it runs."""
        if self._running is not None:
            self._running.signal(SIGTERM)
            await self._running.ended()
            self._running = None

    async def subscribe(
        self, pages: Sequence[str], hooks: Sequence[str], interval: int, **options: Any
    ) -> None:
        """Subscribe each receiver to each page, many at a time, with more ``options``."""
        slots = asyncio.Semaphore(AT_ONCE)
        async with client(self._settings.port) as rest:

            async def one(page: str, hook: str) -> None:
                async with slots:
                    await rest.subscribe(page, hook, *KEYWORDS, interval=interval, **options)

            await asyncio.gather(*(one(page, hook) for page in pages for hook in hooks))

    def spent(self) -> dict[str, float]:
        """Return the CPU seconds of each worker with its children, the broker and the rest."""
        spent = {"up": cpu({self._pid})}
        for child, branch in self._parts().items():
            spent[_part(child)] = cpu(branch)
        return spent

    def memory(self) -> dict[str, int]:
        """Return the bytes of each worker with its children, and of the broker (PSS)."""
        return {_part(child): memory(branch) for child, branch in self._parts().items()}

    @property
    def settings(self) -> Settings:
        """Its settings; its broker is in its folder."""
        return self._settings

    def workers(self) -> set[int]:
        """Return all processes but the broker's."""
        return family(self._pid) - self.broker()

    def broker(self) -> set[int]:
        """Return the broker's processes."""
        every = self._parts().items()
        return set().union(*(branch for child, branch in every if _part(child) == BROKER))

    def _parts(self) -> dict[int, set[int]]:
        """Return each process that ``up`` runs, with what that has started."""
        parts = branches(self._pid)
        for server in [child for child in parts if command(child) == command(self._pid)]:
            parts |= {server: {server}, **branches(server)}
        return parts

    @property
    def _pid(self) -> int:
        assert self._running is not None, "it runs"
        return self._running.pid


def started_up(settings: Settings, *line: str, program: Sequence[str] = VOKTER) -> Command:
    """Start a ``program`` with the line of a command; it ends with the bench, if that is killed."""
    program = (*program, "--with-parent")
    env = environment(settings)
    return Command(env, settings.data_dir, *line, program=program, stdin=PIPE)


def program_of(checkout: Path) -> tuple[str, ...]:
    """Return the program of another commit, in its environment, or in this one if it has none."""
    own = checkout / ".venv" / "bin" / "python"
    python = str(own) if own.exists() else sys.executable
    # Its code is found before that of the environment, and not in the folder of this one.
    code = (f"PYTHONPATH={checkout}", "PYTHONSAFEPATH=1")
    return ("env", *code, python, "-m", "streams.cli")


def since(now: dict[str, float], before: dict[str, float]) -> dict[str, float]:
    """Return what was spent between two measurements."""
    return {name: now[name] - before.get(name, 0.0) for name in now}


def _part(pid: int) -> str:
    """Return the name that the supervisor gave a process, of which Linux keeps 15 bytes."""
    return BROKER if "kafka.Kafka" in command(pid) else title(pid).removeprefix("vokter ")
