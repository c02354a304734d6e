"""Files survive a power cut: their content is on the disk before they have their names."""

import io
import os
import tarfile
from collections.abc import Callable
from pathlib import Path

import pytest

from connectors.access.keys import new_key, save_keys
from connectors.history_files.writers import row_file
from connectors.signing_key import load_signing_key
from connectors.stores.objects import Objects
from infra.files import replace_text
from streams.cli.setup.archive import archive_to, unpack
from tests.connectors.stores.test_objects import contents
from tests.connectors.stores.test_snapshot_history import read

Inode = int


@pytest.fixture
def synced(monkeypatch: pytest.MonkeyPatch) -> set[Inode]:
    """The files and folders that are on the disk; a rename of any other file is refused."""
    found: set[Inode] = set()
    rename = Path.replace

    def sync(handle: int) -> None:
        found.add(os.fstat(handle).st_ino)

    def replace(draft: Path, path: Path) -> Path:
        assert draft.stat().st_ino in found, f"{path} has a name before its content"
        return rename(draft, path)

    monkeypatch.setattr(os, "fsync", sync)
    monkeypatch.setattr(Path, "replace", replace)
    return found


def a_text(path: Path) -> None:
    replace_text(path, "the text")


def keys(path: Path) -> None:
    save_keys(path, [new_key("a", None, None)[1]])


def rows(path: Path) -> None:
    with row_file(path) as write:
        write([])


@pytest.mark.parametrize("write", [a_text, keys, rows])
def test_a_new_file_and_its_name_are_on_the_disk(
    tmp_path: Path, synced: set[Inode], write: Callable[[Path], None]
) -> None:
    path = tmp_path / "some.jsonl"
    path.write_text("before")
    write(path)
    assert {path.stat().st_ino, tmp_path.stat().st_ino} <= synced


def test_the_signing_key_is_on_the_disk(tmp_path: Path, synced: set[Inode]) -> None:
    load_signing_key(None, tmp_path / "key")
    assert (tmp_path / "key").stat().st_ino in synced


def test_the_files_of_a_restored_backup_are_on_the_disk(tmp_path: Path, synced: set[Inode]) -> None:
    member = tarfile.TarInfo("folder/file")
    member.size = 4
    with (tmp_path / "a").open("wb") as file, archive_to(file, None) as members:
        members.addfile(member, io.BytesIO(b"text"))
    unpack(tmp_path / "a", None, tmp_path / "to")
    assert (tmp_path / "to/folder/file").stat().st_ino in synced


async def test_an_object_is_on_the_disk_before_its_row(tmp_path: Path, synced: set[Inode]) -> None:
    objects = Objects.open(f"file://{tmp_path}")
    await objects.put_out(read(200, body=b"\x28\xb5\x2f\xfd body"), 0)
    (body,) = contents(tmp_path)
    assert body.stat().st_ino in synced
