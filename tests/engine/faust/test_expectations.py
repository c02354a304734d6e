"""A worker does not start with a Faust or an aiokafka that its patches do not fit."""

import re
from inspect import isfunction
from pathlib import Path
from typing import Any

import pytest
from aiokafka.consumer.group_coordinator import GroupCoordinator
from faust.tables.recovery import Recovery
from faust.transport.drivers.aiokafka import Consumer

from streams.engine.errors import UnexpectedLibrary
from streams.engine.faust import expectations
from streams.engine.faust.expectations import OVERRIDDEN, VERSIONS, check_libraries
from streams.engine.process import run_workers

PROJECT = Path(__file__).parents[3] / "pyproject.toml"


def test_the_installed_libraries_are_as_expected() -> None:
    check_libraries()


def test_the_versions_are_those_that_the_project_pins() -> None:
    pins = dict(re.findall(r'"([\w-]+)==([\w.]+)"', PROJECT.read_text("utf-8")))
    assert {name: pins.get(name) for name in VERSIONS} == VERSIONS


def test_another_version_is_refused_with_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(VERSIONS, "aiokafka", "0.13.0")
    with pytest.raises(UnexpectedLibrary, match=r"aiokafka is 0\.14\.0, not 0\.13\.0") as refused:
        check_libraries()
    assert "pip install 'aiokafka==0.13.0'" in str(refused.value)


def test_a_private_part_that_is_gone_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delattr(GroupCoordinator, "_do_heartbeat")
    monkeypatch.setattr(GroupCoordinator, "_heartbeat_routine", lambda self: None)
    with pytest.raises(UnexpectedLibrary, match="GroupCoordinator has no _do_heartbeat"):
        check_libraries()


def test_a_method_that_no_patch_would_replace_any_more_is_named(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.delattr(Recovery, "on_recovery_completed")
    with pytest.raises(UnexpectedLibrary, match="Recovery has no on_recovery_completed"):
        check_libraries()


def test_a_method_that_is_called_in_another_way_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    def _should_commit(self: Any, tp: Any, offset: int, generation: int) -> bool:
        return True

    monkeypatch.setattr(Consumer, "_should_commit", _should_commit)
    with pytest.raises(UnexpectedLibrary, match="_should_commit takes tp, offset, generation"):
        check_libraries()


def test_every_method_that_replaces_one_of_faust_is_checked() -> None:
    for patched, names in OVERRIDDEN.items():
        bases = expectations._bases(patched)
        replaced = {
            name
            for name, value in vars(patched).items()
            if not (name.startswith("__") and name.endswith("__"))
            and (isinstance(value, property) or isfunction(value))
            and any(name in vars(base) for base in bases)
        }
        assert replaced <= set(names), patched


def test_a_worker_looks_before_it_starts(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(VERSIONS, "aiokafka", "0.13.0")
    cluster: Any = None
    with pytest.raises(UnexpectedLibrary):
        run_workers([], cluster)
