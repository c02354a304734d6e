"""The archive of Kafka's classes that a broker starts with."""

import os
import subprocess
from pathlib import Path

import pytest

from infra import class_archive
from infra.class_archive import KEPT, delete_old_archives, make_archive
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


def test_a_cache_that_cannot_be_written_is_no_error_of_the_set_up(
    cache: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    file = cache / "file"
    file.touch()
    monkeypatch.setenv("VOKTER_CACHE", str(file))
    monkeypatch.setattr(class_archive, "find_java", lambda: java_in(cache))
    monkeypatch.setattr(class_archive, "fetch_jars", lambda _: [])
    class_archive.main()
    assert "Kafka will start more slowly" in capsys.readouterr().out


def test_archives_of_clones_with_other_javas_are_kept_up_to_a_number(cache: Path) -> None:
    archives = [cache / f"classes-{number}.jsa" for number in range(KEPT + 2)]
    for age, archive in enumerate(archives):
        archive.touch()
        os.utime(archive, (age, age))
    delete_old_archives(cache)
    assert sorted(cache.iterdir()) == archives[2:]


@pytest.mark.slow
def test_java_starts_with_the_archive_that_was_made(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    java, jars = find_java(), fetch_jars(read_lock())
    monkeypatch.setenv("VOKTER_CACHE", str(tmp_path))
    other = archive_path(java, [])
    other.parent.mkdir()
    other.touch()
    archive = make_archive(java, jars)
    assert set(archive.parent.iterdir()) == {archive, other}
    # -Xshare:on: Java ends with an error if it cannot map the archive.
    mapped = ["-Xshare:on", *mapping_options(java, jars), "-cp", ":".join(map(str, jars))]
    subprocess.run([java, *mapped, "-version"], capture_output=True, check=True)
