"""No two workers of a group have one member id, and each keeps its own."""

import shutil
import socket
from pathlib import Path

import pytest

from streams.cli.local.locks import worker_folder
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


def test_a_member_id_that_is_dropped_is_followed_by_another(tmp_path: Path) -> None:
    with worker_folder(Settings(data_dir=tmp_path), "match") as (_, first, drop):
        drop()
        drop()
    second = member_id(tmp_path)
    assert second != first
    assert member_id(tmp_path) == second
