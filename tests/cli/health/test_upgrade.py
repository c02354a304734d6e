"""``vokter upgrade --check`` compares a data folder with the release that runs."""

import sqlite3
from pathlib import Path

import pytest
from typer.testing import CliRunner

from connectors.stores.sqlite.schema import VERSION
from infra.broker_config import META
from streams.cli.app import app
from streams.cli.checks.finding import Level
from streams.cli.health.upgrade import FolderState, changes
from streams.cli.setup.release import Release, note_release
from streams.effects.topics import topic_specs
from streams.settings import Settings

NOW = FolderState(Release("0.10.0", "4.2.0"), 3, frozenset({"vokter.changes", "vokter.new"}))


def levels(found: FolderState) -> dict[str, Level]:
    return {each.about: each.level for each in changes(found, NOW)}


def test_nothing_changes_in_a_folder_of_this_release() -> None:
    assert {*levels(NOW).values()} == {Level.OK}


def test_an_older_folder_is_brought_forward_and_a_backup_recommended() -> None:
    older = FolderState(Release("0.9.1", "4.1.1"), 2, frozenset({"vokter.changes", "vokter.old"}))
    assert levels(older) == {
        "release": Level.OK,
        "broker": Level.WARNING,
        "store": Level.WARNING,
        "topics": Level.OK,
    }
    (topics,) = (each.text for each in changes(older, NOW) if each.about == "topics")
    assert topics == "new: vokter.new, no longer used: vokter.old"
    for each in changes(older, NOW):
        assert ("vokter backup" in each.remedy) == (each.level is Level.WARNING)


@pytest.mark.parametrize(
    ("later", "about"),
    [
        (FolderState(Release("0.10.1", "4.2.0"), 3, NOW.topics), "release"),
        (FolderState(Release("0.10.0", "4.10.0"), 3, NOW.topics), "broker"),
        (FolderState(Release("0.10.0", "4.2.0"), 4, NOW.topics), "store"),
    ],
)
def test_what_a_later_release_wrote_is_an_error(later: FolderState, about: str) -> None:
    assert [name for name, level in levels(later).items() if level is Level.ERROR] == [about]


def folder(path: Path, store: int) -> Path:
    """Make a data folder as it is on a disk, with a version of the store."""
    note_release(path)
    meta = Settings(data_dir=path).local_broker / META
    meta.parent.mkdir(parents=True)
    meta.touch()
    for spec in topic_specs(Settings()):
        (meta.parent / f"{spec.name}-11").mkdir()
    with sqlite3.connect(path / "vokter.db") as connection:
        connection.execute(f"PRAGMA user_version = {store}")
    connection.close()
    return path


@pytest.mark.parametrize(("store", "status"), [(VERSION, 0), (VERSION + 1, 1)])
def test_the_status_says_whether_this_release_can_start(
    tmp_path: Path, store: int, status: int
) -> None:
    arguments = ["upgrade", "--check", "--data-dir", str(folder(tmp_path, store))]
    result = CliRunner().invoke(app, arguments)
    assert result.exit_code == status, result.output
    assert f"all {len(topic_specs(Settings()))} are there" in result.output
    assert ("vokter restore" in result.output) == bool(status)


def test_a_setting_that_is_gone_is_an_error(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("VOKTER_MIN_INTERVALS", "5")
    arguments = ["upgrade", "--check", "--data-dir", str(folder(tmp_path, VERSION))]
    result = CliRunner().invoke(app, arguments)
    assert result.exit_code == 1
    assert "VOKTER_MIN_INTERVALS is no setting. Did you mean VOKTER_MIN_INTERVAL?" in result.output


def test_a_folder_without_a_deployment_is_refused(tmp_path: Path) -> None:
    result = CliRunner().invoke(app, ["upgrade", "--check", "--data-dir", str(tmp_path)])
    assert isinstance(result.exception, LookupError)
    assert str(tmp_path) in str(result.exception)
    assert not list(tmp_path.iterdir())
