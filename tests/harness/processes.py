"""Workers and API as real processes, with their logs in a folder."""

import os
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path
from signal import SIGTERM, Signals
from threading import Lock, Thread
from types import TracebackType
from typing import Self
from uuid import uuid4

from infra.ports import any_free
from streams.engine.life.loop_watch import BROKEN
from streams.settings import Settings
from tests.harness.template import Forked, spawn
from tests.harness.waiting import TIMEOUT_S

ON_THE_WAY = ("ticker", "fetch", "match", "deliver", "record")
"""The processes of agents."""
TOGETHER: dict[str, tuple[str, ...]] = {
    "match": ("percolate", "judge", "crawl"),
    "record": ("history",),
}
"""What else runs in the process of an agent."""
DEPLOYMENTS = ("pair", "shared")
"""Fixtures of several files, each of which runs while tests in a row need it."""
VOKTER = (sys.executable, "-m", "streams.cli")
OURS = ("VOKTER_", "SCHEMA_REGISTRY_")
FROZE = "the event loop stood still"
"""Why a worker ended itself that a busy machine gave no time; what it had in hand is done again."""


def environment(settings: Settings) -> dict[str, str]:
    """The variables of a process that has exactly these settings."""
    ours = {name: value for name, value in os.environ.items() if not name.startswith(OURS)}
    return ours | settings.environment()


class Process:
    """One process of ours; started again under the same name it writes to the same log.

    One that ``is_kept`` and ends itself is started again, as by its supervisor, unless it
    was sent a signal: a machine that does much else can make any loop stand still. Its
    deployment allows no other reason. ``restarts`` counts that.
    """

    def __init__(
        self, name: str, line: Sequence[str], settings: Settings, *, is_kept: bool = False
    ) -> None:
        self.name = name
        self.log = settings.data_dir / "logs" / f"{name}.log"
        self._line = line
        self._env = environment(settings)
        self._process: subprocess.Popen[bytes] | Forked | None = None
        self._is_kept = is_kept
        self._is_signalled = False
        self._lock = Lock()
        self.restarts = 0

    @property
    def pid(self) -> int:
        assert self._process is not None
        return self._process.pid

    @property
    def status(self) -> int | None:
        """The exit status, None while it runs."""
        assert self._process is not None
        return self._process.poll()

    @property
    def is_running(self) -> bool:
        return self._process is not None and self._process.poll() is None

    @property
    def said(self) -> str:
        """All that it has logged; the last line may be half a line yet."""
        return self.log.read_text("utf-8", "replace")

    def start(self) -> None:
        """Start; it ends with the test run, for its standard input ends then."""
        with self._lock:
            self._is_signalled = False
            self._begin()

    def _begin(self) -> None:
        self.log.parent.mkdir(parents=True, exist_ok=True)
        with self.log.open("ab") as log:
            fd = log.fileno()
            self._process = spawn(self._line, self._env, subprocess.PIPE, fd, fd)
        if self._is_kept:
            Thread(target=self._keep, args=(self._process,), daemon=True).start()

    def signal(self, number: Signals) -> None:
        """Send a signal."""
        with self._lock:
            assert self._process is not None
            self._is_signalled = True
            self._process.send_signal(number)

    def ended(self, timeout_s: float = TIMEOUT_S) -> int:
        """Wait for its end and return the exit status."""
        process = self._process  # by its end another one may have been started
        assert process is not None
        status = process.wait(timeout_s)
        if process.stdin:
            process.stdin.close()
        return status

    def send(self, number: Signals) -> int:
        """Send a signal and return the exit status that comes of it."""
        self.signal(number)
        return self.ended()

    def kill(self) -> None:
        """End it if it still runs."""
        if self.is_running:
            self.send(Signals.SIGKILL)

    def _keep(self, process: subprocess.Popen[bytes] | Forked) -> None:
        status = process.wait()
        with self._lock:
            if status and not self._is_signalled and process is self._process:
                self.restarts += 1
                self._begin()

    def end(self) -> None:
        """Wait for its end after a SIGTERM, and force it if need be."""
        try:
            self.ended()
        except subprocess.TimeoutExpired:
            self.signal(Signals.SIGKILL)
            self.ended()


class Deployment:
    """Agents and API on a broker, with separate topics and a separate data folder."""

    def __init__(
        self,
        kafka: str,
        folder: Path,
        line: Sequence[str] = VOKTER,
        *,
        is_kept: bool = False,
        excuse: str = FROZE,
        **settings: object,
    ) -> None:
        """``line`` is the command line before the arguments of ``vokter``.

        A worker that ``is_kept`` may end itself for the reason ``excuse``, or if it froze.
        """
        defaults = {
            "kafka": kafka,
            "data_dir": folder,
            "port": any_free(),
            "topic_prefix": f"test-{uuid4().hex[:8]}.",
            "partitions": 4,
            "min_interval": 1,
            "host_delay": 0,
            "failure_backoff": 1,
            "allow_private": "127.0.0.0/8",
        }
        self.settings = Settings(**(defaults | settings))  # type: ignore[arg-type]  # pydantic checks
        self._line = line
        self._is_kept = is_kept
        self._excuses = {FROZE, excuse}
        self._processes: dict[str, Process] = {}
        self._restarts = 0
        """Of processes that were ended."""

    def start(self, *names: str, is_apart: bool = False, **settings: object) -> None:
        """Start agents, or ``api``, with these settings; ``match-2`` is the second match.

        Unless they are ``is_apart``, the processes of TOGETHER run further agents.
        """
        for name in names:
            what, _, _ = name.partition("-")
            more = () if is_apart else TOGETHER.get(what, ())
            work = ("api",) if what == "api" else ("worker", what, *more)
            line = [*self._line, "--with-parent", *work]
            changed = self.settings.model_copy(update=settings)
            process = Process(name, line, changed, is_kept=self._is_kept)
            self._processes[name] = process
            process.start()

    def __getitem__(self, name: str) -> Process:
        return self._processes[name]

    def stop(self, name: str) -> None:
        """Stop a worker, which must end well, unless it freezes in the midst of it."""
        froze = self.froze()
        status = self[name].send(SIGTERM)
        is_frozen = status == BROKEN and self.froze() > froze
        assert status == 0 or is_frozen, f"{name} ended with status {status}"

    def froze(self) -> int:
        """Count the workers that ended because they froze, or for another excuse."""
        said = [log.read_text("utf-8", "replace") for log in self.logs()]
        return sum(text.count(excuse) for text in said for excuse in self._excuses)

    def restarts(self) -> int:
        """Count the processes that ended themselves and were started again."""
        return self._restarts + sum(process.restarts for process in self._processes.values())

    @property
    def is_started(self) -> bool:
        """Whether it has processes."""
        return bool(self._processes)

    @property
    def pids(self) -> list[int]:
        """The ids of its processes: others after each start."""
        return [process.pid for process in self._processes.values()]

    def logs(self) -> list[Path]:
        """The log of every process."""
        return sorted((self.settings.data_dir / "logs").glob("*.log"))

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        # After an error the broker may be away, for which a clean stop would wait long.
        self.end(Signals.SIGTERM if kind is None else Signals.SIGKILL)
        if kind is None:
            assert self._restarts <= self.froze(), "a worker ended by itself and had not frozen"

    def end(self, by: Signals = Signals.SIGTERM) -> None:
        """End all processes; any can be started again."""
        for process in self._processes.values():
            process.signal(by)
        for process in self._processes.values():
            process.end()
        self._restarts = self.restarts()
        self._processes.clear()
