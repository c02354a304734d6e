"""An Apicurio Registry for tests, on loopback; what it keeps is in its memory.

It speaks Confluent's API, and is free software.
"""

import http.client
import subprocess
import sys
import tarfile
import tempfile
import time
from pathlib import Path
from types import TracebackType
from typing import Self

from infra import guard
from infra.errors import InfraError
from infra.jars import Jar, fetch_jars
from infra.java import find_java
from infra.ports import any_free

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
START_LIMIT = 120.0  # seconds; 10 to 15 are usual
JVM_OPTIONS = ("-Xmx512m", "-XX:+UseSerialGC", "-XX:TieredStopAtLevel=1")


def program() -> Path:
    """Returns the folder with quarkus-run.jar; what is missing is fetched and unpacked.

    Raises:
        InfraError: it cannot be had.
    """
    (archive,) = fetch_jars([ARCHIVE], NAME)
    folder = archive.parent / "unpacked"
    if not folder.exists():
        with tempfile.TemporaryDirectory(dir=archive.parent) as part:
            with tarfile.open(archive) as tar:
                tar.extractall(Path(part, "new"), filter="data")
            Path(part, "new").replace(folder)
    return folder


class Apicurio:
    """A registry that ends with the process that started it, and forgets all when it ends."""

    def __init__(self, folder: Path) -> None:
        """Starts nothing yet; its log goes into `folder`."""
        self._folder = folder
        self._port = any_free()
        self._guard: subprocess.Popen[bytes] | None = None

    @property
    def url(self) -> str:
        """Where its API of Confluent's kind is."""
        return f"http://{HOST}:{self._port}{API}"

    def start(self) -> None:
        """Returns when it answers; raises InfraError when it does not."""
        java, home = find_java(OLDEST_JAVA), program()
        where = f"-Dquarkus.http.host={HOST}", f"-Dquarkus.http.port={self._port}"
        command = [str(java), *JVM_OPTIONS, *where, "-jar", str(home / "quarkus-run.jar")]
        with (self._folder / LOG).open("ab") as log:
            self._guard = subprocess.Popen(
                [sys.executable, "-I", guard.__file__, *command],
                stdin=subprocess.PIPE,
                stdout=log,
                stderr=log,
            )
        deadline = time.monotonic() + START_LIMIT
        while not self._answers():
            if self._guard.poll() is not None or time.monotonic() > deadline:
                self.stop()
                raise InfraError(f"{NAME} did not start; see {self._folder / LOG}")
            time.sleep(0.2)

    def stop(self) -> None:
        """Ends it; no error if it has ended."""
        if self._guard is not None:
            assert self._guard.stdin is not None
            self._guard.stdin.close()
            self._guard.wait()
            self._guard = None

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

    def _answers(self) -> bool:
        connection = http.client.HTTPConnection(HOST, self._port, timeout=5)
        try:
            connection.request("GET", f"{API}/subjects")
            return connection.getresponse().status == 200
        except OSError:
            return False
        finally:
            connection.close()


def main() -> None:
    """Fills the cache."""
    try:
        program()
    except InfraError as error:
        sys.exit(str(error))


if __name__ == "__main__":
    main()
