"""Builds the server from main.go with the versions and hashes of go.sum; once per machine."""

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
    """Tells whether tests of the MongoDB store must run, not be skipped."""
    return os.environ.get("VOKTER_REQUIRE_MONGO", "") not in {"", "0"}


def find_go() -> Path | None:
    """Returns the Go command, None where there is none that is new enough."""
    go = shutil.which("go")
    if go is None:
        return None
    line = [go, "env", "GOVERSION"]
    text = subprocess.run(line, capture_output=True, text=True, check=False).stdout
    version = tuple(map(int, re.findall(r"\d+", text)[:2]))
    return Path(go) if version >= OLDEST_GO else None


def program(go: Path) -> Path:
    """Returns the server's executable from the cache, built before if it is not there.

    Raises:
        InfraError: it could not be built.
    """
    kept = [SOURCES / name for name in ("main.go", "go.mod", "go.sum")]
    digest = hashlib.sha256(b"".join(path.read_bytes() for path in kept)).hexdigest()[:12]
    built = cache_folder(f"ferretdb-{FERRETDB_VERSION}") / digest / "ferretdb"
    if not built.exists():
        built.parent.mkdir(parents=True, exist_ok=True)
        _say(f"building it with {go} into {built.parent}, 1 to 3 minutes, only this once")
        _build(go, built)
        _say("built")
    return built


def _build(go: Path, to: Path) -> None:
    # A build that was cut short, or another at the same time, leaves no half of a file.
    with tempfile.TemporaryDirectory(dir=to.parent) as folder:
        part = Path(folder, to.name)
        line = [str(go), "build", "-v", "-mod=readonly", "-buildvcs=false", "-o", str(part), "."]
        env = {**os.environ, "CGO_ENABLED": "0"}
        with subprocess.Popen(
            line, cwd=SOURCES, env=env, stderr=subprocess.PIPE, text=True
        ) as building:
            said = _told(building)
        if building.returncode:
            raise InfraError(f"FerretDB could not be built:\n{''.join(said[-15:])}")
        part.replace(to)


def _told(building: "subprocess.Popen[str]") -> list[str]:
    """What Go says, a line for each module and package; tells now and then how many there were."""
    said: list[str] = []
    assert building.stderr is not None
    for line in building.stderr:
        said.append(line)
        if len(said) % STEP == 0:
            _say(f"{len(said)} modules and packages")
    return said


def _say(text: str) -> None:
    print(f"FerretDB {FERRETDB_VERSION}: {text}", file=sys.stderr, flush=True)


def main() -> None:
    """Fills the cache, where that is needed and possible."""
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
