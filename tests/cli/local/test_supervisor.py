"""A supervisor starts again what has ended, whatever the reason."""

import asyncio
import subprocess
import sys
from pathlib import Path
from signal import SIGTERM

import pytest

from streams.cli.local.supervisor import SupervisedProcess


class Clock:
    """Pauses that take no time; the supervisor is cancelled at the last one."""

    def __init__(self, pauses: int) -> None:
        self.pauses: list[float] = []
        self._left = pauses

    async def sleep(self, seconds: float) -> None:
        self.pauses.append(seconds)
        self._left -= 1
        if self._left == 0:
            raise asyncio.CancelledError


async def supervised(
    monkeypatch: pytest.MonkeyPatch, logs: Path, command: list[str], pauses: int
) -> tuple[list[str], list[float]]:
    """Run a command with a supervisor; what that said, and how long it paused."""
    clock, said = Clock(pauses), list[str]()
    child = SupervisedProcess("fetch", command, {}, logs, said.append)
    monkeypatch.setattr("streams.cli.local.supervisor.asyncio.sleep", clock.sleep)
    with pytest.raises(asyncio.CancelledError):
        await child.run()
    return said, clock.pauses


async def test_what_ends_at_once_is_started_again_after_longer_and_longer_pauses(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    command = [sys.executable, "-c", "import os; os.write(2, b'why'); os._exit(70)"]
    said, pauses = await supervised(monkeypatch, tmp_path, command, 7)
    assert pauses == [1, 2, 4, 8, 16, 30, 30]
    assert (
        said[0]
        == f"fetch ended with status 70; restarting it in 1 s. Log: {tmp_path / 'fetch.log'}"
    )
    assert (tmp_path / "fetch.log").read_text() == "why" * 7


async def test_what_cannot_be_started_is_tried_again(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    said, pauses = await supervised(monkeypatch, tmp_path, [str(tmp_path / "none")], 2)
    assert pauses == [1, 2]
    assert "could not be started" in said[0]


async def test_a_folder_of_logs_that_was_deleted_is_made_again(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    await supervised(monkeypatch, tmp_path / "logs", [sys.executable, "-c", ""], 1)
    assert (tmp_path / "logs" / "fetch.log").exists()


def test_a_process_forked_from_one_without_standard_input_ends_with_its_parent() -> None:
    program = (
        "import sys, time\n"
        "from streams.cli.local.supervisor import end_with_parent\n"
        "sys.stdin = None\n"
        "end_with_parent()\n"
        "time.sleep(60)"
    )
    with subprocess.Popen([sys.executable, "-c", program], stdin=subprocess.PIPE) as process:
        assert process.stdin is not None
        process.stdin.close()
        assert process.wait(50) == -SIGTERM
