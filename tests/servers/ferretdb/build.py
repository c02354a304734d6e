"""Builds FerretDB from main.go, with the versions and hashes of go.sum; once per machine."""

import hashlib
import os
import re
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

from infra.cache import cache_folder
from infra.errors import InfraError

FERRETDB_VERSION = "1.24.2"
SOURCES = Path(__file__).parent
OLDEST_GO = (1, 24)
STEP = 50  # packages between two lines of progress


def is_required() -> bool:
    """Return whether tests of the MongoDB store must run instead of being skipped."""
    return os.environ.get("VOKTER_REQUIRE_MONGO", "") not in {"", "0"}


def find_go() -> Path | None:
    """Return the Go command, None if there is none that is new enough."""
    go = shutil.which("go")
    if go is None:
        return None
    line = [go, "env", "GOVERSION"]
    text = subprocess.run(line, capture_output=True, text=True, check=False).stdout
    version = tuple(map(int, re.findall(r"\d+", text)[:2]))
    return Path(go) if version >= OLDEST_GO else None


def program(go: Path) -> Path:
    """Return the server's executable from the cache, after building it if it is missing.

    Raises:
        InfraError: it could not be built.
    """
    sources = [SOURCES / name for name in ("main.go", "go.mod", "go.sum")]
    digest = hashlib.sha256(b"".join(path.read_bytes() for path in sources)).hexdigest()[:12]
    built = cache_folder(f"ferretdb-{FERRETDB_VERSION}") / digest / "ferretdb"
    if not built.exists():
        built.parent.mkdir(parents=True, exist_ok=True)
        _say(f"building it with {go} into {built.parent}; takes 1 to 3 minutes, once")
        _build(go, built)
        _say("built")
    return built


def _build(go: Path, to: Path) -> None:
    # Neither an interrupted build nor a concurrent one may leave half a file.
    with tempfile.TemporaryDirectory(dir=to.parent) as folder:
        part = Path(folder, to.name)
        flags = ("-v", "-mod=readonly", "-buildvcs=false", "-tags=ferretdb_no_postgresql")
        line = [str(go), "build", *flags, "-o", str(part), "."]
        env = {**os.environ, "CGO_ENABLED": "0"}
        with subprocess.Popen(
            line, cwd=SOURCES, env=env, stderr=subprocess.PIPE, text=True
        ) as building:
            output = _read_output(building)
        if building.returncode:
            raise InfraError(f"FerretDB could not be built:\n{''.join(output[-15:])}")
        part.replace(to)


def _read_output(building: "subprocess.Popen[str]") -> list[str]:
    """Return Go's output, a line for each module and package, and report progress meanwhile."""
    output: list[str] = []
    assert building.stderr is not None
    for line in building.stderr:
        output.append(line)
        if len(output) % STEP == 0:
            _say(f"{len(output)} modules and packages")
    return output


def _say(text: str) -> None:
    print(f"FerretDB {FERRETDB_VERSION}: {text}", file=sys.stderr, flush=True)


def main() -> None:
    """Build the server into the cache, if it is needed and Go is installed."""
    if os.environ.get("VOKTER_TEST_MONGO"):
        return
    go = find_go()
    if go is None:
        _say("no Go 1.24 or newer and no VOKTER_TEST_MONGO: the MongoDB store will NOT be tested")
        sys.exit(1 if is_required() else 0)
    try:
        program(go)
    except InfraError as error:
        sys.exit(str(error))


if __name__ == "__main__":
    main()
