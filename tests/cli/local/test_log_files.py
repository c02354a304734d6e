"""A log that is written without end takes a limited part of the disk."""

import asyncio
from pathlib import Path

import pytest

from streams.cli.local import supervisor
from streams.cli.local.supervisor import KEPT, keep_logs_small, rotate_log


def sizes(folder: Path) -> dict[str, int]:
    return {file.name: file.stat().st_size for file in folder.iterdir()}


def test_the_process_goes_on_with_the_same_file_and_the_newest_parts_are_kept(
    tmp_path: Path,
) -> None:
    log = tmp_path / "fetch.log"
    with log.open("ab", buffering=0) as written:
        for number in range(KEPT + 3):
            written.write(b"%d" % number * 10)
            rotate_log(log)
        written.write(b"now")
    assert log.read_bytes() == b"now"
    assert [(tmp_path / f"fetch.log.{n}").read_bytes() for n in (1, 2)] == [b"4" * 10, b"3" * 10]
    assert len(sizes(tmp_path)) == 1 + KEPT


def test_a_log_is_cut_even_if_its_copy_fails(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    log = tmp_path / "fetch.log"
    log.write_bytes(b"x" * 100)

    def full(*_: object) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr("streams.cli.local.supervisor.shutil.copyfile", full)
    with pytest.raises(OSError, match="No space"):
        rotate_log(log)
    assert log.stat().st_size == 0


async def test_all_logs_together_stay_within_their_bound(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(supervisor, "MAX_LOG", 1000)
    logs = [tmp_path / "fetch.log", tmp_path / "missing.log"]
    looks = 0

    async def write(_: float) -> None:
        nonlocal looks
        with logs[0].open("ab") as log:
            log.write(b"x" * 400)
        assert sum(sizes(tmp_path).values()) <= (1 + KEPT) * (1000 + 400)
        looks += 1
        if looks == 50:
            raise asyncio.CancelledError

    monkeypatch.setattr("streams.cli.local.supervisor.asyncio.sleep", write)
    with pytest.raises(asyncio.CancelledError):
        await keep_logs_small(logs)
    assert len(sizes(tmp_path)) == 1 + KEPT
