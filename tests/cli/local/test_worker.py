"""``vokter worker``, before it connects to anything."""

from pathlib import Path

import pytest

from streams.cli import main


def test_a_stage_that_does_not_exist_is_named_even_where_nothing_runs(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.delenv("VOKTER_KAFKA", raising=False)
    monkeypatch.setenv("VOKTER_DATA_DIR", str(tmp_path))
    monkeypatch.setattr("sys.argv", ["vokter", "worker", "fetsch"])

    with pytest.raises(SystemExit) as end:
        main()

    assert end.value.code == 2
    assert "'fetsch' is not a stage" in capsys.readouterr().err
