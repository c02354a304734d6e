"""A real Kafka for development and tests: one node in KRaft mode, on loopback."""

import argparse
import os
import signal
import subprocess
import sys
import time
from contextlib import suppress
from pathlib import Path
from types import TracebackType
from typing import Self

from infra import broker_config, guard, identity, lease
from infra.errors import InfraError
from infra.jars import fetch_jars, read_lock
from infra.java import find_java
from infra.ports import speaks_kafka

CONSOLE = "broker.out"
START_LIMIT = 120.0  # seconds; 3 are usual
STOP_LIMIT = guard.PATIENCE + 10.0


class LocalBroker:
    """A broker with all that it keeps in one folder; it ends with the process that started it.

    The data outlives a stop and a kill. Use it as a context manager, or call start and stop.
    """

    def __init__(self, data_dir: Path, port: int | None = None) -> None:
        """Starts nothing yet.

        Args:
            data_dir: made if missing; holds data, log (broker.log) and configuration.
            port: TCP port; None for the folder's last one, else 9092, else any free one;
                0 for the folder's last one, else any free one.
        """
        self.data_dir = data_dir.absolute()
        self._wanted_port = port
        self._port = 0
        self._guard: subprocess.Popen[bytes] | None = None

    @property
    def bootstrap(self) -> str:
        """`host:port` for clients, known once started."""
        return f"{broker_config.HOST}:{self._port}"

    @property
    def is_running(self) -> bool:
        """Whether the broker's process lives."""
        return self._guard is not None and self._guard.poll() is None

    def start(self) -> None:
        """Returns when the broker answers; fetches what is missing before, which takes time.

        Raises:
            InfraError: no Java, no jars, the port or the folder is taken, or the broker ended.
        """
        java, jars = find_java(), fetch_jars(read_lock())
        self.data_dir.mkdir(parents=True, exist_ok=True)
        held = lease.take(self.data_dir)
        try:
            command = [str(java), *broker_config.JVM_OPTIONS, "-cp", ":".join(map(str, jars))]
            self._configure(command)
            self._guard = self._spawn([*command, "kafka.Kafka"], held)
            lease.write(held, os.getpid(), self._guard.pid)
        finally:
            os.close(held)
        try:
            self._await_answer()
        except BaseException:
            self.kill()
            raise

    def stop(self) -> None:
        """Ends the broker cleanly, by force if it takes too long; no error if it has ended."""
        if self._guard is None:
            return
        self._guard.terminate()
        try:
            if self._guard.wait(STOP_LIMIT) >= 0:
                self._forget()
        except subprocess.TimeoutExpired:
            pass
        self.kill()

    def kill(self) -> None:
        """Ends the broker at once, as a crash would (SIGKILL)."""
        if self._guard is None:
            return
        with suppress(ProcessLookupError, PermissionError):  # macOS says so of a dead group
            os.killpg(self._guard.pid, signal.SIGKILL)
        self._guard.wait()
        self._forget()

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

    def _configure(self, command: list[str]) -> None:
        kept = identity.settle(self.data_dir, self._wanted_port)
        self._port = kept.port
        config = broker_config.server_config(kept.port, kept.controller_port)
        (self.data_dir / broker_config.SERVER_PROPERTIES).write_text(config, "utf-8")
        (self.data_dir / broker_config.LOG_PROPERTIES).write_text(broker_config.LOG_CONFIG, "utf-8")
        if not (self.data_dir / broker_config.STORAGE / "meta.properties").exists():
            self._format([*command, "kafka.tools.StorageTool"], kept.cluster_id)

    def _format(self, tool: list[str], cluster_id: str) -> None:
        # In one word each: an id may begin with a dash.
        options = [f"--cluster-id={cluster_id}", f"--config={broker_config.SERVER_PROPERTIES}"]
        run = subprocess.run(
            [*tool, "format", *options],
            cwd=self.data_dir,
            capture_output=True,
            text=True,
            check=False,
        )
        if run.returncode:
            raise InfraError(
                f"Kafka could not format {self.data_dir / broker_config.STORAGE}:\n"
                f"{run.stdout[-2000:]}{run.stderr[-2000:]}"
            )

    def _spawn(self, command: list[str], held: int) -> subprocess.Popen[bytes]:
        with (self.data_dir / CONSOLE).open("wb") as console:
            return subprocess.Popen(
                [sys.executable, "-I", guard.__file__, *command, broker_config.SERVER_PROPERTIES],
                cwd=self.data_dir,
                stdin=subprocess.PIPE,
                stdout=console,
                stderr=console,
                pass_fds=(held,),
                start_new_session=True,
            )

    def _await_answer(self) -> None:
        deadline = time.monotonic() + START_LIMIT
        while not speaks_kafka(self._port):
            if not self.is_running or time.monotonic() > deadline:
                raise InfraError(f"The Kafka broker did not start.\n{self._last_words()}")
            time.sleep(0.05)

    def _last_words(self) -> str:
        logs = (self.data_dir / broker_config.LOG, self.data_dir / CONSOLE)
        return "\n".join(_tail(log) for log in logs if log.exists() and log.stat().st_size)

    def _forget(self) -> None:
        if self._guard and self._guard.stdin:
            self._guard.stdin.close()
        self._guard = None


def _tail(log: Path) -> str:
    lines = log.read_text("utf-8", "replace").splitlines()[-15:]
    return "\n".join((f"Last lines of {log}:", *lines))


def main() -> None:
    """Runs a broker in the foreground until SIGTERM or Ctrl-C."""
    parser = argparse.ArgumentParser(prog="python -m infra.broker", description=__doc__)
    parser.add_argument("--data-dir", type=Path, required=True)
    parser.add_argument("--port", type=int, help="default: the last one, else 9092 if free")
    options = parser.parse_args()
    signal.signal(signal.SIGTERM, signal.default_int_handler)
    try:
        with LocalBroker(options.data_dir, options.port) as broker:
            print(broker.bootstrap, flush=True)
            while broker.is_running:
                time.sleep(0.5)
            sys.exit(f"The Kafka broker ended; see {broker.data_dir / broker_config.LOG}")
    except InfraError as error:
        sys.exit(str(error))
    except KeyboardInterrupt:
        return


if __name__ == "__main__":
    main()
