"""Check at the start that Faust and aiokafka are as the patches expect them.

A patch of a method that was renamed would never be called, and messages would be lost in
silence. So the versions are pinned, and what is private and used is looked up.
"""

from collections.abc import Iterator, Mapping
from importlib.metadata import version
from inspect import Parameter, isfunction, signature
from typing import Any

from aiokafka import AIOKafkaConsumer
from aiokafka.admin import AIOKafkaAdminClient
from aiokafka.client import AIOKafkaClient
from aiokafka.consumer.fetcher import Fetcher
from aiokafka.consumer.group_coordinator import GroupCoordinator
from aiokafka.protocol.fetch import FetchRequest
from faust.agents.manager import AgentManager

from connectors.kafka.patching import PATCHED_VERSION
from streams.engine.errors import UnexpectedLibrary
from streams.engine.faust.app import PatchedApp, PatchedBoot
from streams.engine.faust.consumer import ConsumerInLoop, PatchedConsumer, PatchedTransport
from streams.engine.faust.recovery import PatchedRecovery, PatchedTables
from streams.engine.faust.state import PatchedOptions, PatchedStore, PatchedTable

VERSIONS = {"aiokafka": PATCHED_VERSION, "faust-streaming": "0.15.3", "mode-streaming": "0.7.1"}
"""The versions that the patches were written for and tested with."""

OVERRIDDEN: Mapping[type, tuple[str, ...]] = {
    ConsumerInLoop: (
        "start",
        "on_start",
        "_create_worker_consumer",
        "call_thread",
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
        "_filter_tps_with_pending_acks",
        "_filter_committable_offsets",
        "_should_commit",
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
    AIOKafkaClient: ("_conns", "_metadata_update", "ready", "send"),
    AIOKafkaConsumer: ("_client", "_coordinator", "_fetcher", "_isolation_level", "commit"),
    Fetcher: (
        "_fetch_max_wait_ms",
        "_fetcher_timeout",
        "_get_actions_per_node",
        "_notify",
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
        "_committed_offset",
        "perform_seek",
        "force_commit",
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

_OURS = __name__.partition("engine.")[0]
"""The prefix of modules of the agents; a wheel has them below ``vokter``."""


def check_libraries() -> None:
    """Raise UnexpectedLibrary if the patches would not be in force."""
    faults = [*_other_versions(), *_lost_overrides(), *_missing_parts()]
    if faults:
        pins = " ".join(f"'{name}=={pinned}'" for name, pinned in VERSIONS.items())
        raise UnexpectedLibrary(
            "Vokter fixes faults of Faust and aiokafka by replacing private parts of them, and "
            f"these are not as expected: {'; '.join(faults)}. With them messages could be lost. "
            f"Install the versions that Vokter is made for: pip install {pins}"
        )


def _other_versions() -> Iterator[str]:
    for name, pinned in VERSIONS.items():
        if (found := version(name)) != pinned:
            yield f"{name} is {found}, not {pinned}"


def _lost_overrides() -> Iterator[str]:
    """Find methods that their base does not have any more, or calls in another way."""
    for patched, names in OVERRIDDEN.items():
        base = _bases(patched)[0]
        for name in names:
            ours, theirs = vars(patched)[name], getattr(base, name, None)
            if theirs is None:
                yield f"{base.__qualname__} has no {name}"
            elif isfunction(ours) and isfunction(theirs) and not _accepts(ours, theirs):
                yield f"{base.__qualname__}.{name} takes {', '.join(_parameters(theirs))}"


def _accepts(ours: Any, theirs: Any) -> bool:
    """Whether a method can be called as the one that it replaces."""
    kinds = {each.kind for each in signature(ours).parameters.values()}
    if Parameter.VAR_KEYWORD in kinds:
        return True
    return _parameters(ours) == _parameters(theirs)


def _parameters(method: Any) -> list[str]:
    return list(signature(method).parameters)[1:]


def _missing_parts() -> Iterator[str]:
    for owner, names in USED.items():
        for name in names:
            if not _has(owner, name):
                yield f"{_bases(owner)[0].__qualname__} has no {name}"


def _has(owner: type, name: str) -> bool:
    """Whether a class, or a method of it that sets attributes, knows a name."""
    return any(
        name in vars(base)
        or name in getattr(base, "__annotations__", {})
        or any(isfunction(each) and name in each.__code__.co_names for each in vars(base).values())
        for base in _bases(owner)
    )


def _bases(owner: type) -> list[type]:
    """Return a class and its bases, without our own."""
    return [base for base in owner.__mro__ if not base.__module__.startswith(_OURS)]
