"""The place of the archive of Kafka's loaded classes, which Java maps: see ``class_archive``."""

import hashlib
from collections.abc import Sequence
from pathlib import Path

from infra.cache import cache_folder
from infra.jars import KAFKA


def archive_path(java: Path, jars: Sequence[Path]) -> Path:
    """Return where the archive for this Java and these jars is, or would be.

    Java refuses one whose jars have changed since, and starts without it.
    """
    stats = [(str(path), path.stat().st_mtime_ns) for path in (java.resolve(), *jars)]
    key = hashlib.sha256(repr(stats).encode()).hexdigest()[:16]
    return cache_folder(KAFKA.lower().replace(" ", "-")) / f"classes-{key}.jsa"


def mapping_options(java: Path, jars: Sequence[Path]) -> list[str]:
    """Return the options with which Java maps the archive, none if it has not been made."""
    archive = archive_path(java, jars)
    return [f"-XX:SharedArchiveFile={archive}"] if archive.exists() else []
