"""A broker that has no space left says so in one line, and Kafka's words stay in its log."""

from pathlib import Path

import pytest

from infra import broker_config
from infra.broker import CONSOLE, LocalBroker
from infra.errors import InfraError

JAVA = (
    """\
2026-11-22 16:11:42 ERROR Error while writing to checkpoint file (LogDirFailureChannel)
java.io.IOException: No space left on device
"""
    + "\tat java.base/sun.nio.ch.IOUtil.write(IOUtil.java:102)\n" * 40
)


class FakeJava:
    """A Java that writes something to a file, or to its output, and ends with an error."""

    def __init__(self, folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        self.data_dir = folder / "data"
        self._script, self._words = folder / "java", folder / "words"
        monkeypatch.setattr("infra.broker.find_java", lambda: self._script)
        monkeypatch.setattr("infra.broker.fetch_jars", lambda _: [])

    def is_formatted(self) -> None:
        storage = self.data_dir / broker_config.STORAGE
        storage.mkdir(parents=True)
        (storage / "meta.properties").touch()

    def start(self, says: str, file: str | None) -> str:
        """Return the error of a start."""
        self._words.write_text(says)
        into = f" >> '{self.data_dir / file}'" if file else ""
        self._script.write_text(f"#!/bin/sh\ncat '{self._words}'{into}\nexit 1\n")
        self._script.chmod(0o755)
        with pytest.raises(InfraError) as raised:
            LocalBroker(self.data_dir, 0).start()
        return str(raised.value)


@pytest.fixture
def java(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> FakeJava:
    return FakeJava(tmp_path, monkeypatch)


def is_one_line(said: str, folder: Path) -> bool:
    words = [f"the disk of {folder} is full", "--data-dir", str(folder / broker_config.LOG)]
    return len(said.splitlines()) == 1 and all(word in said for word in words)


@pytest.mark.parametrize("file", [broker_config.LOG, None])
def test_a_full_disk_is_named_in_one_line(java: FakeJava, file: str | None) -> None:
    java.is_formatted()
    assert is_one_line(java.start(JAVA, file), java.data_dir)
    assert (java.data_dir / (file or CONSOLE)).read_text() == JAVA


def test_a_disk_that_is_full_at_the_first_start_is_named_too(java: FakeJava) -> None:
    assert is_one_line(java.start(JAVA, None), java.data_dir)


def test_what_an_earlier_start_said_is_no_reason(java: FakeJava) -> None:
    java.is_formatted()
    java.start(JAVA, broker_config.LOG)
    said = java.start("something else\n", None)
    assert said.startswith("The Kafka broker did not start.")
    assert "something else" in said
