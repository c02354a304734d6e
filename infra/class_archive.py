"""Kafka's classes as Java has them in memory: a start takes half the CPU with this file.

Java maps the archive (class data sharing, JEP 350), shared by the brokers of a machine. `make
setup` makes the archive once for a Java and its jars: a short run of a broker. Without an archive a
start takes longer.
"""

import subprocess
import time
from collections.abc import Sequence
from pathlib import Path
from tempfile import TemporaryDirectory

from infra.broker import LocalBroker
from infra.errors import InfraError
from infra.jars import fetch_jars, read_lock
from infra.java import find_java
from infra.mapped_classes import archive_path

KEPT = 4
"""The most archives in the cache, of 50 MB each: clones may have different Javas."""
TIMEOUT_S = 300.0
POLL_EVERY_S = 0.1


def make_archive(java: Path, jars: Sequence[Path]) -> Path:
    """Return the archive for this Java and these jars, made if missing.

    Older archives are deleted: their Javas or jars may be gone.

    Raises:
        InfraError: the broker did not start or stop, or this Java makes no such file.
        OSError: the cache cannot be written.
    """
    archive = archive_path(java, jars)
    if archive.exists():
        return archive
    archive.parent.mkdir(parents=True, exist_ok=True)
    with TemporaryDirectory(dir=archive.parent) as folder:
        made = Path(folder, archive.name)
        broker = LocalBroker(Path(folder), port=0)
        _run(broker, broker.prepare(java, jars, [f"-XX:ArchiveClassesAtExit={made}"]))
        if not made.exists():
            raise InfraError(f"{java} writes no archive of classes.")
        made.rename(archive)
    delete_old_archives(archive.parent)
    return archive


def delete_old_archives(folder: Path) -> None:
    """Delete all archives of a folder but the newest."""
    ages = {each: each.stat().st_mtime for each in folder.glob("*.jsa")}
    for old in sorted(ages, key=lambda each: ages[each])[:-KEPT]:
        old.unlink(missing_ok=True)


def _run(broker: LocalBroker, line: Sequence[str]) -> None:
    """Run a broker until its answer; Java writes the archive at its end."""
    deadline = time.monotonic() + TIMEOUT_S
    with subprocess.Popen(
        line, cwd=broker.data_dir, stdout=subprocess.DEVNULL, stderr=subprocess.STDOUT
    ) as process:
        try:
            while not broker.answers():
                if process.poll() is not None or time.monotonic() > deadline:
                    raise InfraError("The broker that loads them did not start.")
                time.sleep(POLL_EVERY_S)
            process.terminate()
            process.wait(TIMEOUT_S)
        except subprocess.TimeoutExpired:
            raise InfraError("The broker that loads them did not end.") from None
        finally:
            process.kill()


def main() -> None:
    """Make the archive for the Java of this machine; a broker starts without any, too."""
    try:
        make_archive(find_java(), fetch_jars(read_lock()))
    except (InfraError, OSError) as error:
        print(f"Kafka will start more slowly, without an archive of its classes: {error}")


if __name__ == "__main__":
    main()
