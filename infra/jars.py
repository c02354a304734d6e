"""Jars from a Maven repository, pinned by SHA-256 and fetched once into the shared cache.

Kafka's jars are pinned in kafka.lock.
"""

import hashlib
import os
import sys
import tempfile
import time
import urllib.request
from collections.abc import Iterable
from concurrent.futures import FIRST_EXCEPTION, ThreadPoolExecutor, wait
from dataclasses import dataclass
from importlib.resources import files
from importlib.resources.abc import Traversable
from pathlib import Path
from urllib.error import HTTPError

from infra.cache import cache_folder
from infra.errors import InfraError

KAFKA_VERSION = "4.1.1"
KAFKA = f"Kafka {KAFKA_VERSION}"
MAVEN_URL = "https://repo1.maven.org/maven2"
LOCK = "kafka.lock"
PARALLEL = 4
ATTEMPTS = 4
TIMEOUT_S = 60  # without a byte
REPORT_EVERY_S = 2.0
CHUNK_BYTES = 1_000_000


@dataclass(frozen=True, slots=True)
class Jar:
    """A line of a lock: path in a Maven repository, SHA-256 in hex, size in bytes."""

    path: str
    sha256: str
    size: int


def read_lock(lock: Traversable | None = None) -> tuple[Jar, ...]:
    """Return the jars of a lock in its order, kafka.lock by default."""
    lines = (lock or files(__package__).joinpath(LOCK)).read_text("utf-8").splitlines()
    rows = (line.split() for line in lines if line and not line.startswith("#"))
    return tuple(Jar(path, sha256, int(size)) for path, sha256, size in rows)


def fetch_jars(jars: Iterable[Jar], what: str = KAFKA) -> list[Path]:
    """Return the jars' paths in the cache of `what`, after fetching missing or damaged ones.

    Several processes may do this at once: a file appears under its name only when complete and
    checked. Progress goes to stderr.

    Raises:
        InfraError: a jar cannot be fetched, or its SHA-256 is not the one in the lock.
    """
    cache = cache_folder(what.lower().replace(" ", "-"))
    paths = {jar: cache / jar.path for jar in jars}
    missing = [
        jar
        for jar, path in paths.items()
        if not path.is_file() or hashlib.sha256(path.read_bytes()).hexdigest() != jar.sha256
    ]
    if missing:
        _fetch_all(missing, cache, what)
    return list(paths.values())


def _fetch_all(jars: list[Jar], cache: Path, what: str) -> None:
    base = os.environ.get("VOKTER_MAVEN_URL", MAVEN_URL).rstrip("/")
    total = sum(jar.size for jar in jars)
    _say(what, f"fetching {len(jars)} files, {total / 1e6:.1f} MB, from {base} into {cache}")
    received: list[int] = []
    with ThreadPoolExecutor(PARALLEL) as pool:
        rest = {pool.submit(_fetch, f"{base}/{jar.path}", jar, cache, received) for jar in jars}
        while rest:
            done, rest = wait(rest, timeout=REPORT_EVERY_S, return_when=FIRST_EXCEPTION)
            for task in done:
                try:
                    task.result()
                except InfraError:
                    pool.shutdown(cancel_futures=True)
                    raise
            _say(what, f"{sum(received) / 1e6:.1f} of {total / 1e6:.1f} MB")


def _fetch(url: str, jar: Jar, cache: Path, received: list[int]) -> None:
    """Fetch a jar; append the sizes of its chunks to ``received``, for the progress."""
    for attempt in range(1, ATTEMPTS + 1):
        try:
            _download(url, jar, cache / jar.path, received)
        except (OSError, ValueError) as error:
            # A retry does not fix a client error; a wrong hash may be a broken transfer.
            is_final = isinstance(error, HTTPError) and error.code < 500
            if attempt == ATTEMPTS or is_final:
                raise InfraError(
                    f"Could not fetch {url}: {error}. Check the network and HTTPS_PROXY, or set "
                    f"VOKTER_MAVEN_URL to a Maven repository that you can reach, or copy the cache "
                    f"of another machine to {cache}. Then repeat the command."
                ) from error
            time.sleep(2**attempt / 4)
        else:
            return


def _download(url: str, jar: Jar, path: Path, received: list[int]) -> None:
    if not url.startswith(("https://", "http://")):
        raise ValueError("not an HTTP address")
    with urllib.request.urlopen(url, timeout=TIMEOUT_S) as response:  # noqa: S310 - checked above
        body = b""
        while chunk := response.read(CHUNK_BYTES):
            body += chunk
            received.append(len(chunk))
    if (sha256 := hashlib.sha256(body).hexdigest()) != jar.sha256:
        raise ValueError(f"refused: its SHA-256 is {sha256}, but the lock has {jar.sha256}")
    path.parent.mkdir(parents=True, exist_ok=True)
    with tempfile.NamedTemporaryFile(dir=path.parent, delete=False) as part:
        part.write(body)
    Path(part.name).replace(path)


def _say(what: str, text: str) -> None:
    print(f"{what}: {text}", file=sys.stderr, flush=True)


def main() -> None:
    """Fetch Kafka's jars into the cache."""
    try:
        fetch_jars(read_lock())
    except InfraError as error:
        sys.exit(str(error))


if __name__ == "__main__":
    main()
