"""The archive of Kafka's classes that a broker starts with."""

import os
import subprocess
from pathlib import Path

import pytest

from infra.class_archive import make_archive
from infra.errors import InfraError
from infra.jars import fetch_jars, read_lock
from infra.java import find_java
from infra.mapped_classes import archive_path, mapping_options


@pytest.fixture
def cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("VOKTER_CACHE", str(tmp_path))
    return tmp_path


def java_in(folder: Path, script: str = "exit 1") -> Path:
    java = folder / "java"
    java.write_text(f"#!/bin/sh\n{script}\n")
    java.chmod(0o755)
    return java


def test_java_is_started_without_an_archive_until_there_is_one(cache: Path) -> None:
    java = java_in(cache)
    assert mapping_options(java, []) == []
    archive = archive_path(java, [])
    archive.parent.mkdir()
    archive.touch()
    assert mapping_options(java, []) == [f"-XX:SharedArchiveFile={archive}"]


def test_another_java_or_jar_has_another_archive(cache: Path) -> None:
    java, jar = java_in(cache), cache / "kafka.jar"
    jar.touch()
    first = archive_path(java, [jar])
    os.utime(jar, (1, 1))
    second = archive_path(java, [jar])
    os.utime(java, (1, 1))
    assert len({first, second, archive_path(java, [jar]), archive_path(java, [])}) == 4


def test_a_java_that_cannot_start_the_broker_leaves_nothing_in_the_cache(cache: Path) -> None:
    with pytest.raises(InfraError):
        make_archive(java_in(cache), [])
    assert list(archive_path(cache / "java", []).parent.iterdir()) == []


@pytest.mark.slow
def test_java_starts_with_the_archive_that_was_made(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    java, jars = find_java(), fetch_jars(read_lock())
    monkeypatch.setenv("VOKTER_CACHE", str(tmp_path))
    old = archive_path(java, [])
    old.parent.mkdir()
    old.touch()
    archive = make_archive(java, jars)
    assert list(archive.parent.iterdir()) == [archive]
    # -Xshare:on: Java ends with an error if it cannot map the archive.
    mapped = ["-Xshare:on", *mapping_options(java, jars), "-cp", ":".join(map(str, jars))]
    subprocess.run([java, *mapped, "-version"], capture_output=True, check=True)
