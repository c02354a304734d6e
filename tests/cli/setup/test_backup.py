"""Backups that are refused, by the remedy that they name."""

from pathlib import Path

import pytest

from infra.broker_config import META
from streams.cli.setup.backup import NoBackup, back_up
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
