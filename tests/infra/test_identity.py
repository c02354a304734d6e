"""A data folder's broker keeps its ports and its cluster id, whatever happens to its files."""

import errno
import json
import os
from pathlib import Path

import pytest

from infra import broker_config
from infra.broker import LocalBroker
from infra.errors import InfraError
from infra.identity import FILE, settle

CLUSTER = "TnUeHOUCQTKxAsk4nBIwXQ"


def is_formatted(folder: Path) -> None:
    meta = folder / broker_config.META
    meta.parent.mkdir(parents=True)
    meta.write_text(f"#\nversion=1\ncluster.id={CLUSTER}\nnode.id=1\n")


def test_a_start_that_changes_nothing_writes_nothing(tmp_path: Path) -> None:
    first = settle(tmp_path, 0)
    before = (tmp_path / FILE).stat()
    assert settle(tmp_path, 0) == first
    assert (tmp_path / FILE).stat() == before


def test_a_disk_that_is_full_leaves_the_file_as_it_was(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    first = settle(tmp_path, 0)

    def is_full(file: Path, *_: object) -> None:
        file.touch()
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr(Path, "write_text", is_full)
    with pytest.raises(OSError, match="No space left"):
        settle(tmp_path, first.port + 1)
    monkeypatch.undo()
    assert settle(tmp_path, 0) == first


@pytest.mark.parametrize("damaged", ["", "{", "[]", '{"port": 1}'])
def test_a_damaged_file_is_written_again_with_the_id_of_the_storage(
    tmp_path: Path, damaged: str
) -> None:
    is_formatted(tmp_path)
    (tmp_path / FILE).write_text(damaged)
    assert settle(tmp_path, 0).cluster_id == CLUSTER
    assert json.loads((tmp_path / FILE).read_text())["cluster_id"] == CLUSTER


def test_a_storage_without_an_id_gets_a_new_one(tmp_path: Path) -> None:
    is_formatted(tmp_path)
    (tmp_path / broker_config.META).write_text("")
    assert settle(tmp_path, 0).cluster_id != CLUSTER


def test_a_full_disk_is_named_when_the_configuration_cannot_be_written(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def is_full(*_: object) -> None:
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr("infra.identity.replace_text", is_full)
    with pytest.raises(InfraError, match="is full: free some space"):
        LocalBroker(tmp_path, 0).prepare(Path("java"), [], [])


def test_a_full_disk_is_named_when_the_lock_cannot_be_written(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def is_full(*_: object) -> int:
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr("infra.broker.find_java", Path)
    monkeypatch.setattr("infra.broker.fetch_jars", lambda _: [])
    monkeypatch.setattr(os, "pwrite", is_full)
    with pytest.raises(InfraError, match="is full: free some space"):
        LocalBroker(tmp_path, 0).start()
