"""An Apicurio Registry for tests, on loopback: a schema registry with Confluent's API."""

import http.client
import sys
import tarfile
import tempfile
from pathlib import Path

from infra.errors import InfraError
from infra.jars import Jar, fetch_jars
from infra.java import find_java
from infra.ports import any_free
from infra.server import Guard, Server, spawn_guarded

VERSION = "3.3.3"
NAME = f"Apicurio Registry {VERSION}"
ARCHIVE = Jar(
    f"io/apicurio/apicurio-registry-app/{VERSION}/apicurio-registry-app-{VERSION}-all.tar.gz",
    "8bc6751c76d963734224b01d5e7f84ccb3cb61c87d3bd77c36c35f10a5cbed63",
    158_577_952,
)
OLDEST_JAVA = 21
HOST = "127.0.0.1"
API = "/apis/ccompat/v7"
LOG = "apicurio.log"
JVM_OPTIONS = ("-Xmx512m", "-XX:+UseSerialGC", "-XX:TieredStopAtLevel=1")


def program() -> Path:
    """Return the folder with quarkus-run.jar, fetched and unpacked if missing.

    Raises:
        InfraError: it cannot be fetched.
    """
    (archive,) = fetch_jars([ARCHIVE], NAME)
    folder = archive.parent / "unpacked"
    if not folder.exists():
        with tempfile.TemporaryDirectory(dir=archive.parent) as part:
            with tarfile.open(archive) as tar:
                tar.extractall(Path(part, "new"), filter="data")
            Path(part, "new").replace(folder)
    return folder


class Apicurio(Server):
    """A registry whose content is in memory only, so that it is empty after each start."""

    def __init__(self, folder: Path) -> None:
        """Its log goes into `folder`."""
        super().__init__()
        self._folder = folder
        self._port = any_free()

    @property
    def url(self) -> str:
        """The address of its API that is compatible with Confluent's."""
        return f"http://{HOST}:{self._port}{API}"

    def _launch(self) -> Guard:
        java, home = find_java(OLDEST_JAVA), program()
        where = f"-Dquarkus.http.host={HOST}", f"-Dquarkus.http.port={self._port}"
        command = [str(java), *JVM_OPTIONS, *where, "-jar", str(home / "quarkus-run.jar")]
        return spawn_guarded(command, self._folder / LOG)

    def answers(self) -> bool:
        connection = http.client.HTTPConnection(HOST, self._port, timeout=5)
        try:
            connection.request("GET", f"{API}/subjects")
            return connection.getresponse().status == 200
        except OSError:
            return False
        finally:
            connection.close()

    def _failure(self) -> str:
        return f"{NAME} did not start; see {self._folder / LOG}"


def main() -> None:
    """Fetch the server into the cache."""
    try:
        program()
    except InfraError as error:
        sys.exit(str(error))


if __name__ == "__main__":
    main()
