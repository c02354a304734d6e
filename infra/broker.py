"""A real Kafka for development and tests: a node in KRaft mode, on loopback."""

import argparse
import errno
import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

from infra import broker_config, identity, lease
from infra.errors import InfraError
from infra.files import replace_text
from infra.jars import fetch_jars, read_lock
from infra.java import find_java
from infra.mapped_classes import mapping_options
from infra.ports import cluster_at, is_free
from infra.server import Guard, Server, spawn_guarded

CONSOLE = "broker.out"
FULL = "No space left on device"
OTHER_PORTS = 3
"""The most replacements of a port lost to another program."""


class LocalBroker(Server):
    """A broker with all its data in a folder, which survives a stop and a kill.

    The first start fetches Kafka's jars. A start raises InfraError, too, if there is no Java, the
    jars cannot be fetched, or the port or the folder is taken.

    Example:
        with LocalBroker(Path("data")) as broker:
            print(broker.bootstrap)
    """

    jvm_options: tuple[str, ...] = broker_config.JVM_OPTIONS

    def __init__(self, data_dir: Path, port: int | None = None) -> None:
        """Start nothing yet.

        Args:
            data_dir: created if missing; holds data, log (broker.log) and configuration.
            port: TCP port; None for the folder's last one, else 9092, else any free one;
                0 for the folder's last one, else any free one.
        """
        super().__init__()
        self.data_dir = data_dir.absolute()
        self._wanted_port = port
        self._kept: identity.Identity | None = None
        self._logged = 0

    @property
    def bootstrap(self) -> str:
        """`host:port` for clients, known once started."""
        return f"{broker_config.HOST}:{self._kept.port if self._kept else 0}"

    def start(self) -> None:
        """Start the broker and wait for its answer.

        A free port may be taken before the broker listens, for example by another starting broker;
        then another port is used, unless this port was requested.

        Raises:
            InfraError: it did not answer in time, or ended; the text has the reason.
        """
        for _ in range(OTHER_PORTS):
            try:
                return super().start()
            except InfraError:
                kept = self._kept
                if self._wanted_port or kept is None:
                    raise
                if is_free(kept.port) and is_free(kept.controller_port):
                    raise
        return super().start()

    def keep_port(self) -> None:
        """Listen on the present port at every later start: clients have its address."""
        self._wanted_port = self._kept.port if self._kept else self._wanted_port

    def _launch(self) -> Guard:
        java, jars = find_java(), fetch_jars(read_lock())
        with self._writing():
            self.data_dir.mkdir(parents=True, exist_ok=True)
            held = lease.take(self.data_dir)
        try:
            line = self.prepare(java, jars, mapping_options(java, jars))
            (self.data_dir / CONSOLE).unlink(missing_ok=True)
            log = self.data_dir / broker_config.LOG
            self._logged = log.stat().st_size if log.exists() else 0
            launched = spawn_guarded(
                line,
                self.data_dir / CONSOLE,
                folder=self.data_dir,
                pass_fds=(held,),
            )
            lease.write(held, os.getpid(), launched.pid)
        finally:
            os.close(held)
        return launched

    def prepare(self, java: Path, jars: Sequence[Path], options: Sequence[str]) -> list[str]:
        """Write the configuration into the folder, which exists, and format its storage if new.

        Returns:
            The command line that runs the broker in its folder; ``options`` are more for Java.
        """
        command = [str(java), *self.jvm_options, *options, "-cp", ":".join(map(str, jars))]
        with self._writing():
            self._configure(command)
        return [*command, "kafka.Kafka", broker_config.SERVER_PROPERTIES]

    @contextmanager
    def _writing(self) -> Iterator[None]:
        """Raise InfraError for a folder that cannot be written."""
        try:
            yield
        except OSError as error:
            if error.errno == errno.ENOSPC:
                raise InfraError(self._disk_is_full()) from error
            raise InfraError(f"{self.data_dir} cannot be written: {error}") from error

    def _configure(self, command: list[str]) -> None:
        kept = identity.settle(self.data_dir, self._wanted_port)
        self._kept = kept
        config = self._server_config(kept)
        replace_text(self.data_dir / broker_config.SERVER_PROPERTIES, config)
        replace_text(self.data_dir / broker_config.LOG_PROPERTIES, broker_config.LOG_CONFIG)
        if (self.data_dir / broker_config.META).exists():
            return
        # As one word each: an id may begin with a dash.
        options = [f"--cluster-id={kept.cluster_id}", f"--config={broker_config.SERVER_PROPERTIES}"]
        run = subprocess.run(
            [*command, "kafka.tools.StorageTool", "format", *options],
            cwd=self.data_dir,
            capture_output=True,
            text=True,
            check=False,
        )
        if run.returncode:
            if FULL in run.stdout + run.stderr:
                raise InfraError(self._disk_is_full())
            raise InfraError(
                f"Kafka could not format {self.data_dir / broker_config.STORAGE}:\n"
                f"{run.stdout[-2000:]}{run.stderr[-2000:]}"
            )

    def _server_config(self, kept: identity.Identity) -> str:
        return broker_config.server_config(kept.port, kept.controller_port)

    def answers(self) -> bool:
        """Whether the broker answers clients."""
        # Another broker may have been quicker to listen on the port.
        return self._kept is not None and cluster_at(self._kept.port) == self._kept.cluster_id

    def _failure(self) -> str:
        log, console = self.data_dir / broker_config.LOG, self.data_dir / CONSOLE
        if FULL in _said(log, self._logged) + _said(console):
            return self._disk_is_full()
        said = ["The Kafka broker did not start."]
        for each in (log, console):
            if each.exists() and each.stat().st_size:
                lines = each.read_text("utf-8", "replace").splitlines()
                said += [f"Last lines of {each}:", *lines[-15:]]
        return "\n".join(said)

    def _disk_is_full(self) -> str:
        return (
            f"The local Kafka broker cannot write, for the disk of {self.data_dir} is full: free "
            "some space, or choose a data folder on another disk with --data-dir. Kafka's own "
            f"words are in {self.data_dir / broker_config.LOG}."
        )


def _said(log: Path, since: int = 0) -> str:
    """Read the new part of a log after its former size; a smaller log is a new file."""
    if not log.exists():
        return ""
    with log.open("rb") as file:
        file.seek(since if since <= log.stat().st_size else 0)
        return file.read().decode("utf-8", "replace")


def main() -> None:
    """Run a broker in the foreground until SIGTERM or Ctrl-C."""
    parser = argparse.ArgumentParser(prog="python -m infra.broker", description=__doc__)
    parser.add_argument("--data-dir", type=Path, required=True, help="folder for all its data")
    parser.add_argument(
        "--port", type=int, help="default: the folder's last one, else 9092 if it is free"
    )
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
