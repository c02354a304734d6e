"""Kafka Connect in one process, for tests: `connect-standalone` with one connector."""

import http.client
import sys
from pathlib import Path

from infra.errors import InfraError
from infra.jars import KAFKA, fetch_jars, read_lock
from infra.java import find_java
from infra.ports import any_free
from infra.server import Guard, Server, spawn_guarded
from tests.servers.connect.lock import CONVERTER, RUNTIME

HOST = "127.0.0.1"
LOG = "connect.log"
JVM_OPTIONS = ("-Xmx256m", "-XX:+UseSerialGC", "-XX:TieredStopAtLevel=1")
CONVERTER_NAME = "Apicurio converter 2.6.13"


def jars() -> tuple[list[Path], list[Path]]:
    """Return the jars of Connect and those of the converter, fetched if missing.

    Raises:
        InfraError: they cannot be fetched.
    """
    runtime = fetch_jars(read_lock(RUNTIME), KAFKA)
    return runtime, fetch_jars(read_lock(CONVERTER), CONVERTER_NAME)


class Connect(Server):
    """A worker with the properties of a page, and one connector."""

    def __init__(self, folder: Path, worker: str, connector: str) -> None:
        """Both are texts of properties; all files go into `folder`."""
        super().__init__()
        self._folder = folder
        self._port = any_free()
        self._worker = worker
        self._connector = connector

    def _launch(self) -> Guard:
        runtime, converter = jars()
        plugin = self._folder / "plugins" / "converter"
        plugin.mkdir(parents=True, exist_ok=True)
        for jar in converter:
            (plugin / jar.name).unlink(missing_ok=True)
            (plugin / jar.name).symlink_to(jar)
        ours = f"listeners=HTTP://{HOST}:{self._port}\nplugin.path={plugin.parent}\n"
        (self._folder / "worker.properties").write_text(f"{self._worker}\n{ours}", "utf-8")
        (self._folder / "sink.properties").write_text(self._connector, "utf-8")
        program = "org.apache.kafka.connect.cli.ConnectStandalone"
        files = "worker.properties", "sink.properties"
        path = ":".join(map(str, runtime))
        command = [str(find_java()), *JVM_OPTIONS, "-cp", path, program, *files]
        return spawn_guarded(command, self._folder / LOG, folder=self._folder)

    def answers(self) -> bool:
        connection = http.client.HTTPConnection(HOST, self._port, timeout=5)
        try:
            connection.request("GET", "/connectors")
            answer = connection.getresponse()
            return answer.status == 200 and b'"' in answer.read()
        except OSError:
            return False
        finally:
            connection.close()

    def _failure(self) -> str:
        return f"Kafka Connect did not start; see {self._folder / LOG}"


def main() -> None:
    """Fetch the jars into the cache."""
    try:
        jars()
    except InfraError as error:
        sys.exit(str(error))


if __name__ == "__main__":
    main()
