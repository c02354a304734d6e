"""What a command creates is for its owner, and what it runs is this program."""

import os
import subprocess
import sys
from pathlib import Path

from streams.cli.local.supervisor import vokter_command
from tests.harness.template import ROOT

OTHERS = 0o077


def test_files_and_folders_are_for_their_owner_only(tmp_path: Path) -> None:
    folder = tmp_path / "data"
    env = {**os.environ, "VOKTER_DATA_DIR": str(folder)}
    line = [sys.executable, "-m", "streams.cli", "keys", "add", "me"]
    subprocess.run(line, env=env, cwd=ROOT, check=True, capture_output=True, umask=0o022)
    created = [folder, *folder.rglob("*")]
    assert len(created) > 1
    assert [path for path in created if path.stat().st_mode & OTHERS] == []


def test_a_process_of_a_deployment_imports_nothing_from_the_current_directory(
    tmp_path: Path,
) -> None:
    for name in ("typer", "streams", "aiokafka"):
        (tmp_path / f"{name}.py").write_text("raise SystemExit(99)")
    command = vokter_command("worker", "none")
    pipe = subprocess.PIPE  # of its parent, with which it would end
    with subprocess.Popen(command, cwd=tmp_path, stdin=pipe, stderr=pipe, text=True) as process:
        assert process.stderr is not None
        said = process.stderr.read()
    assert (process.returncode, "'none' is not an agent" in said) == (2, True), said
