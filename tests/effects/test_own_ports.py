"""No subscription can make Vokter call its own services."""

import json
from pathlib import Path

import pytest

from streams.effects.connections import egress_policy
from streams.effects.own_ports import NOTED_FOR_S, OwnPorts
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


def test_metrics_on_a_free_port_are_its_own_a_moment_after_they_are_noted(
    settings: Settings,
) -> None:
    now = 100.0
    ports = OwnPorts(settings, lambda: now)
    assert 34567 not in ports
    settings.metrics_folder.mkdir()
    note = settings.metrics_folder / "match-1.json"
    note.write_text("[half a no")
    now += NOTED_FOR_S
    assert 34567 not in ports
    note.write_text(json.dumps([{"targets": ["127.0.0.1:34567"], "labels": {}}]))
    now += NOTED_FOR_S
    assert 34567 in ports
    assert 34567 in ports.all()
    note.unlink()
    now += NOTED_FOR_S
    assert 34567 not in ports


def test_notes_are_read_once_for_many_connections(settings: Settings) -> None:
    settings.metrics_folder.mkdir()
    note = settings.metrics_folder / "fetch-1.json"
    note.write_text(json.dumps([{"targets": ["127.0.0.1:34568"], "labels": {}}]))
    ports = OwnPorts(settings, lambda: 100.0)
    assert 34568 in ports
    note.unlink()
    assert 34568 in ports


def test_broker_and_controller_of_the_machine_are_its_own(settings: Settings) -> None:
    settings.local_broker.mkdir()
    note = {"port": 25000, "controller_port": 25001, "cluster_id": "c"}
    (settings.local_broker / "broker.json").write_text(json.dumps(note))
    assert [refused(settings, port) for port in (25000, 25001, 25002)] == [True, True, False]
