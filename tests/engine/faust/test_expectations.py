"""A worker does not start with a Faust or an aiokafka that its patches do not fit."""

import re
from collections.abc import Mapping
from inspect import Parameter, isfunction, signature
from pathlib import Path
from typing import Any

import pytest
from aiokafka import AIOKafkaConsumer
from aiokafka.admin import AIOKafkaAdminClient
from aiokafka.client import AIOKafkaClient
from aiokafka.consumer.fetcher import Fetcher
from aiokafka.consumer.group_coordinator import GroupCoordinator
from aiokafka.protocol.fetch import FetchRequest
from faust.agents.manager import AgentManager

from streams.engine.errors import UnexpectedLibrary
from streams.engine.faust.app import PatchedApp, PatchedBoot
from streams.engine.faust.consumer import ConsumerInLoop, PatchedConsumer, PatchedTransport
from streams.engine.faust.expectations import VERSIONS, check_libraries
from streams.engine.faust.recovery import PatchedRecovery, PatchedTables
from streams.engine.faust.state import PatchedOptions, PatchedStore, PatchedTable
from streams.engine.process import run_workers

PROJECT = Path(__file__).parents[3] / "pyproject.toml"

OVERRIDDEN: Mapping[type, tuple[str, ...]] = {
    ConsumerInLoop: (
        "start",
        "on_start",
        "_create_worker_consumer",
        "call_thread",
        "_fetch_records",
        "_gather_remaining_tasks",
    ),
    PatchedApp: (
        "BootStrategy",
        "tables",
        "start",
        "stop",
        "_new_transport",
        "_new_consumer",
        "_on_partitions_assigned",
        "_on_partitions_revoked",
    ),
    PatchedBoot: ("server",),
    PatchedConsumer: (
        "_commit_handler",
        "_commit_livelock_detector",
        "_new_consumer_thread",
        "commit",
        "force_commit",
        "_getmany",
        "_drain_messages",
    ),
    PatchedOptions: ("as_options",),
    PatchedRecovery: ("on_recovery_completed", "_resume_streams", "_build_offsets", "_wait"),
    PatchedStore: ("persisted_offset", "_open_for_partition"),
    PatchedTable: ("_new_store_by_url",),
    PatchedTables: ("recovery", "on_start"),
    PatchedTransport: ("Consumer",),
}
"""The methods that each patched class replaces in its base."""

USED: Mapping[type, tuple[str, ...]] = {
    AgentManager: ("_agents_started",),
    AIOKafkaAdminClient: ("_client", "_send_request"),
    AIOKafkaClient: ("_conns", "_get_conn", "_metadata_update", "ready", "send"),
    AIOKafkaConsumer: ("_client", "_coordinator", "_fetcher", "_isolation_level", "commit"),
    Fetcher: (
        "_fetch_max_wait_ms",
        "_fetcher_timeout",
        "_get_actions_per_node",
        "_notify",
        "_records",
        "_wait_consume_future",
        "request_offset_reset",
        "seek_to",
    ),
    FetchRequest: ("_max_wait_ms",),
    GroupCoordinator: (
        "_do_heartbeat",
        "_heartbeat_interval_ms",
        "coordinator_dead",
        "coordinator_id",
        "generation",
        "fetch_committed_offsets",
    ),
    ConsumerInLoop: ("_thread_started", "_thread_running", "_serve", "_ensure_consumer"),
    PatchedApp: ("_fetcher", "_stopped_set", "on_rebalance_end"),
    PatchedConsumer: (
        "_thread",
        "_read_offset",
        "_wait_next_records",
        "flow_active",
        "perform_seek",
        "scheduler",
    ),
    PatchedRecovery: ("_set_recovery_ended", "_is_changelog_tp", "signal_recovery_start"),
    PatchedStore: (
        "_db_for_partition",
        "_dbs",
        "offset_key",
        "options",
        "partition_path",
        "rocksdb_options",
        "use_rocksdict",
    ),
    PatchedTables: ("_recovery", "_update_channels", "on_actives_ready", "on_standbys_ready"),
}
"""Private or undocumented parts that are used as they are."""


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


@pytest.mark.parametrize(
    ("patched", "name"), [(owner, name) for owner, names in OVERRIDDEN.items() for name in names]
)
def test_each_replaced_method_is_there_and_called_in_the_same_way(patched: type, name: str) -> None:
    ours, theirs = vars(patched)[name], getattr(_bases(patched)[0], name)
    if isfunction(ours) and isfunction(theirs):
        kinds = {each.kind for each in signature(ours).parameters.values()}
        assert Parameter.VAR_KEYWORD in kinds or _parameters(ours) == _parameters(theirs)


@pytest.mark.parametrize(
    ("owner", "name"), [(owner, name) for owner, names in USED.items() for name in names]
)
def test_each_private_part_that_is_used_is_there(owner: type, name: str) -> None:
    """A class has it, or a method that sets attributes names it."""
    assert any(
        name in vars(base)
        or name in getattr(base, "__annotations__", {})
        or any(isfunction(each) and name in each.__code__.co_names for each in vars(base).values())
        for base in _bases(owner)
    )


def test_every_method_that_replaces_one_of_faust_is_checked() -> None:
    for patched, names in OVERRIDDEN.items():
        bases = _bases(patched)
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


def _parameters(method: Any) -> list[str]:
    return list(signature(method).parameters)[1:]


def _bases(owner: type) -> list[type]:
    """Return a class and its bases, without our own."""
    return [base for base in owner.__mro__ if not base.__module__.startswith("streams.")]
