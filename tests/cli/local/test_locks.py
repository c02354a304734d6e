"""No two workers of a group have one member id, and each keeps its own."""

import os
import shutil
import signal
import socket
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

import infra.mounts
from streams.cli.local.locks import (
    UP_LOCK,
    AlreadyRunning,
    exclusive_lock,
    shared_folder_notes,
    worker_folder,
)
from streams.settings import Settings


def member_id(folder: Path) -> str:
    with worker_folder(Settings(data_dir=folder), "match") as (_, found, _):
        return found


def test_a_worker_that_starts_again_has_the_member_id_that_it_had(tmp_path: Path) -> None:
    assert member_id(tmp_path) == member_id(tmp_path)


def test_two_workers_of_one_folder_have_two(tmp_path: Path) -> None:
    with worker_folder(Settings(data_dir=tmp_path), "match") as (_, first, _):
        assert member_id(tmp_path) != first


def test_two_folders_of_one_relative_path_have_two(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    found = set[str]()
    for name in "ab":
        here = tmp_path / name
        here.mkdir()
        monkeypatch.chdir(here)
        found.add(member_id(Path("data")))
    assert len(found) == 2


def test_a_copy_of_a_folder_has_another(tmp_path: Path) -> None:
    first = member_id(tmp_path / "first")
    shutil.copytree(tmp_path / "first", tmp_path / "copy")
    assert member_id(tmp_path / "copy") != first


def test_a_copy_on_a_machine_of_another_name_has_another(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    first = member_id(tmp_path)
    monkeypatch.setattr(socket, "gethostname", lambda: "other")
    assert member_id(tmp_path) != first


@pytest.mark.parametrize("text", ["", "{}", "[]", "null"])
def test_a_note_that_is_damaged_is_written_again(tmp_path: Path, text: str) -> None:
    first = member_id(tmp_path)
    (note,) = tmp_path.rglob("member.json")
    note.write_text(text)
    second = member_id(tmp_path)
    assert second not in {"", first}
    assert member_id(tmp_path) == second


@contextmanager
def held_elsewhere(folder: Path) -> Iterator[subprocess.Popen[str]]:
    """Hold the lock of ``vokter up`` in another process."""
    line = (
        "import sys, time; from pathlib import Path\n"
        "from streams.cli.local.locks import UP_LOCK, exclusive_lock\n"
        "with exclusive_lock(Path(sys.argv[1]) / UP_LOCK, 'it'):\n"
        "    print('held', flush=True)\n"
        "    time.sleep(600)"
    )
    command = [sys.executable, "-c", line, str(folder)]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        assert process.stdout.readline() == "held\n"
        try:
            yield process
        finally:
            process.kill()


def refusal(folder: Path) -> str:
    with (
        pytest.raises(AlreadyRunning) as caught,
        exclusive_lock(folder / UP_LOCK, "'vokter up'"),
    ):
        pass
    return str(caught.value)


@pytest.mark.skipif(sys.platform != "linux", reason="only Linux says which process is suspended")
def test_beside_a_suspended_one_a_new_one_says_how_it_goes_on(tmp_path: Path) -> None:
    with held_elsewhere(tmp_path) as process:
        assert refusal(tmp_path).endswith(
            f"(process {process.pid}). Stop it, or choose another folder with --data-dir."
        )
        process.send_signal(signal.SIGSTOP)
        os.waitpid(process.pid, os.WUNTRACED)
        said = refusal(tmp_path)
        assert "is suspended, as by Ctrl-Z" in said
        assert f"'kill -CONT {process.pid}'" in said


def test_the_owner_of_a_lock_on_another_machine_is_named(tmp_path: Path) -> None:
    with held_elsewhere(tmp_path):
        (tmp_path / UP_LOCK).write_text("1 upstairs")
        assert "(process 1 on upstairs). Stop it there, or" in refusal(tmp_path)


@pytest.fixture
def mounts(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The file in which the system says what is mounted."""
    file = tmp_path / "mounts"
    file.write_text("/dev/sda1 / ext4 rw 0 0\n")
    monkeypatch.setattr(infra.mounts, "MOUNTS", file)
    return file


def test_a_folder_on_a_network_file_system_says_what_follows(tmp_path: Path, mounts: Path) -> None:
    folder = tmp_path / "a b"
    settings = Settings(data_dir=folder)
    assert not list(shared_folder_notes(settings))
    point = str(folder).replace(" ", "\\040")
    mounts.write_text(f"/dev/sda1 / ext4 rw 0 0\nhost:/srv {point} nfs4 rw 0 0\n")
    (note,) = shared_folder_notes(settings)
    assert f"{folder} is on a network file system (nfs4): only one machine may use it" in note
    elsewhere = Settings(data_dir=Path("/"), store=f"sqlite:{folder}/store.db")
    assert list(shared_folder_notes(elsewhere)) == [note]


def test_a_network_folder_that_another_machine_has_left_says_so(
    tmp_path: Path, mounts: Path
) -> None:
    mounts.write_text(f"host:/srv {tmp_path} cifs rw 0 0\n")

    def note() -> str:
        (found,) = shared_folder_notes(Settings(data_dir=tmp_path))
        return found

    with exclusive_lock(tmp_path / UP_LOCK, "'vokter up'"):
        assert "last use" not in note(), "it is this machine"
        (tmp_path / UP_LOCK).write_text("1 upstairs")
        assert "Its last use, by process 1 on upstairs, was not ended" in note()
    assert "last use" not in note(), "it was ended"


def test_a_member_id_that_is_dropped_is_followed_by_another(tmp_path: Path) -> None:
    with worker_folder(Settings(data_dir=tmp_path), "match") as (_, first, drop):
        drop()
        drop()
    second = member_id(tmp_path)
    assert second != first
    assert member_id(tmp_path) == second
