"""Remakes a lock, such as kafka.lock, from the jars that Maven resolves for its roots."""

import hashlib
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterable
from pathlib import Path

from infra.jars import KAFKA_VERSION, LOCK

Root = tuple[str, str, str]
"""Group, artifact and version."""
# Kafka logs through SLF4J and leaves the choice of a backend to its distribution.
LOGGER: Root = ("org.apache.logging.log4j", "log4j-slf4j-impl", "2.24.3")
ROOTS: tuple[Root, ...] = (("org.apache.kafka", "kafka_2.13", KAFKA_VERSION), LOGGER)


def main() -> None:
    """Replace kafka.lock; needs `mvn` and network access."""
    write_lock(Path(__file__).with_name(LOCK), ROOTS)


def write_lock(lock: Path, roots: Iterable[Root]) -> None:
    """Replace a lock by the jars of some roots and of all that they need."""
    maven = shutil.which("mvn")
    if maven is None:
        sys.exit(f"Remaking {lock.name} needs Maven: install it, so that `mvn` is on the PATH.")
    with tempfile.TemporaryDirectory() as folder:
        jars = _resolve(maven, Path(folder), roots)
        rows = (
            f"{jar.relative_to(Path(folder) / 'lib').as_posix()} "
            f"{hashlib.sha256(jar.read_bytes()).hexdigest()} {jar.stat().st_size}\n"
            for jar in jars
        )
        head = "# path in a Maven repository, SHA-256, bytes; remade by: make lock-kafka\n"
        lock.write_text(head + "".join(rows), "utf-8")
    print(f"{lock.name}: {len(jars)} jars")


def _resolve(maven: str, folder: Path, roots: Iterable[Root]) -> list[Path]:
    dependencies = "".join(
        f"<dependency><groupId>{group}</groupId><artifactId>{artifact}</artifactId>"
        f"<version>{version}</version></dependency>"
        for group, artifact, version in roots
    )
    (folder / "pom.xml").write_text(
        "<project><modelVersion>4.0.0</modelVersion><groupId>vokter</groupId>"
        "<artifactId>jars</artifactId><version>1</version>"
        f"<dependencies>{dependencies}</dependencies></project>",
        "utf-8",
    )
    goal = "org.apache.maven.plugins:maven-dependency-plugin:3.8.1:copy-dependencies"
    options = ("-DincludeScope=runtime", "-Dmdep.useRepositoryLayout", "-DoutputDirectory=lib")
    subprocess.run([maven, "-q", "-B", goal, *options], cwd=folder, check=True)
    return sorted((folder / "lib").rglob("*.jar"))


if __name__ == "__main__":
    main()
