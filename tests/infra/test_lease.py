"""The lock that admits one broker to a data folder."""

import errno
import os
import subprocess
import sys
from pathlib import Path

import pytest

from infra import lease
from infra.errors import InfraError


def test_a_lock_that_cannot_be_written_is_no_lock(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def full(*_: object) -> int:
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr(os, "pwrite", full)
    with pytest.raises(OSError, match="No space"):
        lease.take(tmp_path)
    monkeypatch.undo()
    os.close(lease.take(tmp_path))


def test_the_text_of_a_lock_needs_no_new_space(tmp_path: Path) -> None:
    file = tmp_path / lease.FILE
    os.close(lease.take(tmp_path))
    held = lease.take(tmp_path)
    lease.write(held, 1, 2)
    assert file.read_bytes() == b"1 2".ljust(lease.SIZE)
    os.close(held)


def test_a_lock_of_an_unknown_process_that_does_not_end_is_named(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(lease, "ORPHAN_TIMEOUT_S", 0.0)
    monkeypatch.setattr(lease, "VANISH_TIMEOUT_S", 0.1)
    held = lease.take(tmp_path)
    lease.write(held, 0, 0)
    line = [sys.executable, "-c", "input()"]
    other = subprocess.Popen(line, stdin=subprocess.PIPE, pass_fds=(held,))
    os.close(held)
    with other, pytest.raises(InfraError, match=r"does not end.*lsof"):
        lease.take(tmp_path)
