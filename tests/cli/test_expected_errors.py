"""Expected errors are said in a line or two, without a traceback."""

from pathlib import Path

import pytest

from streams.cli import app as cli_app
from streams.cli import main


def said(capsys: pytest.CaptureFixture[str], status: int = 1) -> str:
    with pytest.raises(SystemExit) as end:
        main()
    assert end.value.code == status
    return capsys.readouterr().err


def test_a_data_folder_that_is_a_file_is_named(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    file = tmp_path / "file"
    file.touch()
    monkeypatch.delenv("VOKTER_KAFKA", raising=False)
    monkeypatch.setattr("sys.argv", ["vokter", "up", "--data-dir", str(file)])
    text = said(capsys)
    assert text.startswith(f"Error: File exists ({file}).")
    assert "--data-dir" in text


def test_a_full_disk_says_to_free_space(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def full() -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(cli_app, "app", full)
    text = said(capsys)
    assert text.startswith("Error: No space left on device.")
    assert "Free some space" in text


def test_an_argument_that_is_no_text_is_named(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr("sys.argv", ["vokter", "subscribe", "--session", "caf\udce9"])
    monkeypatch.setattr(cli_app, "app", "caf\udce9".encode)
    assert said(capsys, status=2) == "Error: an argument is no UTF-8 text: 'caf\\udce9'.\n"


def test_another_text_that_is_none_is_a_fault(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("sys.argv", ["vokter", "list"])
    monkeypatch.setattr(cli_app, "app", "\ud800".encode)
    with pytest.raises(UnicodeEncodeError):
        main()
