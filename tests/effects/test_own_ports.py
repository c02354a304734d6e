"""No subscription can make Vokter call its own services."""

import json
from collections.abc import Callable
from pathlib import Path

import pytest

from streams.effects.connections import egress_policy
from streams.settings import Settings


def refused(settings: Settings, port: int) -> bool:
    return "own" in (egress_policy(settings).refusal("127.0.0.1", port) or "")


@pytest.fixture
def settings(tmp_path: Path) -> Settings:
    return Settings(
        data_dir=tmp_path,
        kafka="127.0.0.1:9092",
        port=9000,
        metrics="127.0.0.1:9464",
        allow_private=("127.0.0.0/8",),
    )


@pytest.mark.parametrize("port", [9000, 9092, 9464])
def test_the_ports_of_the_settings_are_its_own(settings: Settings, port: int) -> None:
    assert refused(settings, port)


def test_metrics_on_a_free_port_are_its_own_from_the_moment_they_are_noted(
    settings: Settings,
) -> None:
    policy = egress_policy(settings)
    assert policy.refusal("127.0.0.1", 34567) is None
    settings.metrics_folder.mkdir()
    note = settings.metrics_folder / "match-1.json"
    note.write_text("[half a no")
    assert policy.refusal("127.0.0.1", 34567) is None
    note.write_text(json.dumps([{"targets": ["127.0.0.1:34567"], "labels": {}}]))
    assert "own" in (policy.refusal("127.0.0.1", 34567) or "")


def test_a_note_is_read_again_only_when_it_was_written(
    settings: Settings, monkeypatch: pytest.MonkeyPatch
) -> None:
    settings.metrics_folder.mkdir()
    note = settings.metrics_folder / "fetch-1.json"
    note.write_text(json.dumps([{"targets": ["127.0.0.1:34568"], "labels": {}}]))
    read: list[Path] = []
    monkeypatch.setattr(Path, "read_text", _counting(Path.read_text, read))
    assert [refused(settings, port) for port in (34568, 34569, 34568)] == [True, False, True]
    assert read == [note]
    note.write_text(json.dumps([{"targets": ["127.0.0.1:4569"], "labels": {}}]))
    assert [refused(settings, port) for port in (34568, 4569)] == [False, True]
    note.unlink()
    assert not refused(settings, 4569)


def _counting(read: Callable[..., str], paths: list[Path]) -> Callable[..., str]:
    def counted(path: Path, *args: str) -> str:
        paths.append(path)
        return read(path, *args)

    return counted


def test_broker_and_controller_of_the_machine_are_its_own(settings: Settings) -> None:
    settings.local_broker.mkdir()
    note = {"port": 25000, "controller_port": 25001, "cluster_id": "c"}
    (settings.local_broker / "broker.json").write_text(json.dumps(note))
    assert [refused(settings, port) for port in (25000, 25001, 25002)] == [True, True, False]
