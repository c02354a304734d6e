"""Backups that are refused, by the remedy that they name."""

import asyncio
import json
from dataclasses import asdict
from pathlib import Path
from unittest.mock import Mock

import pytest

from infra.broker import LocalBroker
from infra.broker_config import META
from infra.errors import InfraError
from streams.cli.setup.archive import InvalidArchive, archive_to
from streams.cli.setup.backup import NOTE, BackupNote, NoBackup, _add_text, back_up, restore
from streams.settings import Settings


def deployment(folder: Path, kafka: str | None = None) -> Settings:
    settings = Settings(data_dir=folder, kafka=kafka)
    meta = settings.local_broker / META
    meta.parent.mkdir(parents=True)
    meta.touch()
    (folder / "vokter.db").touch()
    return settings


def test_a_backup_replaces_no_file(tmp_path: Path) -> None:
    file = tmp_path / "saved"
    file.write_text("the last one")
    with pytest.raises(NoBackup, match="saved exists already: choose another name"):
        back_up(deployment(tmp_path / "home"), file, None)
    assert file.read_text() == "the last one"


def test_with_the_address_of_a_broker_a_backup_says_to_unset_it(tmp_path: Path) -> None:
    settings = deployment(tmp_path, "127.0.0.1:24493")
    with pytest.raises(NoBackup, match="'vokter up' has printed, unset it first"):
        back_up(settings, tmp_path / "saved", None)
    assert not (tmp_path / "saved").exists()


def test_a_killed_backup_keeps_no_space_for_what_the_broker_deletes(tmp_path: Path) -> None:
    settings = deployment(tmp_path)
    left = tmp_path / "backup.part"
    left.mkdir()
    (left / "0").write_text("a segment that the broker has deleted")
    with pytest.raises(OSError):  # noqa: PT011 - it is no deployment that could be saved
        back_up(settings, tmp_path / "saved", None)
    assert not left.exists()


@pytest.mark.parametrize("note", [None, b"{", b"[]", b'{"at": "2026"}', b'{"partitions": "8"}'])
def test_a_backup_without_a_valid_note_is_refused(note: bytes | None, tmp_path: Path) -> None:
    file, there = tmp_path / "saved", Settings(data_dir=tmp_path / "there")
    with file.open("wb") as out, archive_to(out, None) as members:
        if note is not None:
            _add_text(members, NOTE, note)
    with pytest.raises(InvalidArchive, match="saved has no valid"):
        asyncio.run(restore(there, file, None))
    assert not there.data_dir.exists()


def test_a_restore_whose_broker_does_not_start_can_be_repeated(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    file, there = tmp_path / "saved", Settings(data_dir=tmp_path / "there")
    note = BackupNote("2026-01-31 09:30 UTC", "vokter.", 8, bodies=False)
    with file.open("wb") as out, archive_to(out, None) as members:
        _add_text(members, NOTE, json.dumps(asdict(note)).encode())
    monkeypatch.setattr(LocalBroker, "start", Mock(side_effect=InfraError("there is no Java")))
    for _ in range(2):
        with pytest.raises(InfraError, match="there is no Java"):
            asyncio.run(restore(there, file, None))
    assert not there.data_dir.exists()
