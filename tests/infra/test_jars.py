import hashlib
import threading
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest

from infra import jars
from infra.errors import InfraError
from infra.jars import Jar, fetch_jars, read_lock

BODY = b"the bytes of a jar"
GOOD = Jar("org/example/a/1/a-1.jar", hashlib.sha256(BODY).hexdigest(), len(BODY))


class Repository(ThreadingHTTPServer):
    """Serves the same body under every path; the first `failures` answers are 503."""

    body = BODY
    failures = 0

    def __init__(self) -> None:
        super().__init__(("127.0.0.1", 0), Handler)
        self.asked: list[str] = []


class Handler(BaseHTTPRequestHandler):
    server: Repository

    def do_GET(self) -> None:
        self.server.asked.append(self.path)
        failing = len(self.server.asked) <= self.server.failures
        self.send_response(503 if failing else 200)
        self.end_headers()
        self.wfile.write(b"" if failing else self.server.body)

    def log_message(self, format: str, *args: object) -> None:  # noqa: A002 - the base class's
        pass


@pytest.fixture
def repository(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Repository]:
    with Repository() as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        monkeypatch.setenv("VOKTER_MAVEN_URL", f"http://127.0.0.1:{server.server_port}/maven2/")
        monkeypatch.setenv("VOKTER_CACHE", str(tmp_path))
        monkeypatch.setattr("time.sleep", lambda _: None)
        yield server
        server.shutdown()


def test_the_lock_names_kafka_and_a_logger() -> None:
    names = {Path(jar.path).name for jar in read_lock()}
    assert {f"kafka_2.13-{jars.KAFKA_VERSION}.jar", "log4j-slf4j-impl-2.24.3.jar"} <= names


def test_a_jar_is_fetched_once(repository: Repository) -> None:
    (path,) = fetch_jars([GOOD])
    assert path.read_bytes() == BODY
    fetch_jars([GOOD])
    assert repository.asked == [f"/maven2/{GOOD.path}"]


def test_a_damaged_jar_in_the_cache_is_fetched_again(repository: Repository) -> None:
    (path,) = fetch_jars([GOOD])
    path.write_bytes(b"damaged")
    fetch_jars([GOOD])
    assert path.read_bytes() == BODY
    assert len(repository.asked) == 2


def test_a_jar_with_a_wrong_hash_is_refused(repository: Repository, tmp_path: Path) -> None:
    repository.body = b"something else"
    with pytest.raises(InfraError, match="refused: its SHA-256 is"):
        fetch_jars([GOOD])
    assert not [path for path in tmp_path.rglob("*") if path.is_file()]


def test_a_server_that_fails_for_a_moment_is_asked_again(repository: Repository) -> None:
    repository.failures = 2
    (path,) = fetch_jars([GOOD])
    assert path.read_bytes() == BODY


def test_a_server_that_keeps_failing_is_an_error_with_a_remedy(repository: Repository) -> None:
    repository.failures = 99
    with pytest.raises(InfraError, match=r"503.*VOKTER_MAVEN_URL"):
        fetch_jars([GOOD])
    assert len(repository.asked) == jars.ATTEMPTS


def test_an_address_that_is_not_http_is_refused(
    repository: Repository, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("VOKTER_MAVEN_URL", "file:///etc")
    with pytest.raises(InfraError, match="not an HTTP address"):
        fetch_jars([GOOD])


def test_concurrent_runs_do_not_disturb_each_other(repository: Repository) -> None:
    with ThreadPoolExecutor(8) as pool:
        found = list(pool.map(lambda _: fetch_jars([GOOD])[0].read_bytes(), range(8)))
    assert found == [BODY] * 8
