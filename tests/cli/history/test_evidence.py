"""``vokter evidence`` finds the deployment that runs in the data folder, as other commands do."""

from pathlib import Path

import pytest
from typer.testing import CliRunner

from connectors.running import NotRunning
from streams.cli.app import app


@pytest.mark.parametrize("line", [("save", "n1", "evidence.json"), ("key",)])
def test_without_a_broker_that_is_named_the_running_deployment_is_looked_for(
    line: tuple[str, ...], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("VOKTER_KAFKA", raising=False)
    result = CliRunner().invoke(app, ["evidence", *line, "--data-dir", str(tmp_path)])
    assert isinstance(result.exception, NotRunning)
    assert str(tmp_path) in str(result.exception)
