"""Trouble with the disk is said in two lines."""

from pathlib import Path

import pytest

from streams.cli import app as cli_app
from streams.cli import main


def said(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> str:
    with pytest.raises(SystemExit) as end:
        main()
    assert end.value.code == 1
    return capsys.readouterr().err


def test_a_data_folder_that_is_a_file_is_named(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    file = tmp_path / "file"
    file.touch()
    monkeypatch.delenv("VOKTER_KAFKA", raising=False)
    monkeypatch.setattr("sys.argv", ["vokter", "up", "--data-dir", str(file)])
    text = said(monkeypatch, capsys)
    assert text.startswith(f"Error: File exists ({file}).")
    assert "--data-dir" in text


def test_a_full_disk_says_to_free_space(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def full() -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(cli_app, "app", full)
    text = said(monkeypatch, capsys)
    assert text.startswith("Error: No space left on device.")
    assert "Free some space" in text
