"""What ``vokter doctor`` makes of what it has found: facts in, findings out."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from enum import Enum

from aiokafka import TopicPartition

from connectors.api.access.middleware import is_loopback
from connectors.kafka.groups import Group
from connectors.kafka.inspection import FoundTopic
from connectors.kafka.topics import MAX_REPLICATION, TopicSpec
from streams.settings import Settings

SKEW, TOLERATED = 60_000, 5_000
"""Milliseconds of difference between clocks: from one on ticks are refused, up to the other
all is well."""
LITTLE_ROOM = 1_000_000_000
"""Bytes on the disk of the data folder."""
CHANGE = "Change it with Kafka's kafka-configs tool (--alter --add-config {name}={value})."


class Level(Enum):
    """How bad a finding is."""

    OK = "ok"
    WARNING = "warning"
    ERROR = "error"


@dataclass(frozen=True, slots=True)
class Finding:
    """One thing that was looked at, and what to do if it is not well."""

    level: Level
    about: str
    text: str
    remedy: str = ""


def broken(about: str, error: Exception, remedy: str) -> Finding:
    """Tell of what could not be looked at."""
    return Finding(Level.ERROR, about, str(error) or repr(error), remedy)


def of_settings(settings: Settings, has_keys: bool, room: int) -> Iterator[Finding]:
    """Judge what is allowed but seldom meant; ``room`` is free on the disk, in bytes."""
    yield Finding(Level.OK, "settings", f"data in {settings.data_dir}")
    if not has_keys and not is_loopback(settings.host):
        yield Finding(
            Level.WARNING,
            "settings",
            f"VOKTER_HOST is {settings.host}, but without API keys this machine only is served",
            "Make a key: vokter keys add MANAGER",
        )
    if settings.robots == "ignore":
        yield Finding(Level.WARNING, "settings", "robots.txt is ignored (VOKTER_ROBOTS)")
    if settings.allow_private:
        networks = ", ".join(settings.allow_private)
        yield Finding(Level.WARNING, "settings", f"private networks may be fetched: {networks}")
    if room < LITTLE_ROOM:
        yield Finding(
            Level.WARNING,
            "disk",
            f"{room / 1e6:.0f} MB are free for {settings.data_dir}",
            "Make room: without any, workers end until there is.",
        )


def of_registry(place: str, missing: Mapping[str, bool], unreadable: Mapping[str, str]) -> Finding:
    """Judge a schema registry by its subjects.

    ``missing`` are those without this release's schema, each with whether it would accept
    it; ``unreadable`` those with a version that this release cannot read, each with why.
    """
    refused = [subject for subject, is_taken in missing.items() if not is_taken]
    if refused:
        text = f"{place} refuses this release's schema for {_some(refused)}"
        remedy = (
            "It is not compatible with what is registered there. If that is of an older release: "
            "stop its workers and set that subject's compatibility to BACKWARD_TRANSITIVE. If it "
            "is somebody else's: another VOKTER_TOPIC_PREFIX."
        )
        return Finding(Level.ERROR, "schema registry", text, remedy)
    if unreadable:
        subject, reason = next(iter(unreadable.items()))
        text = f"{place} has schemas that this release cannot read for {_some(list(unreadable))}"
        remedy = (
            f"Records written with them become dead letters ({subject}: {reason}). Find out who "
            "registered them, and delete these versions once no such record is on the topic."
        )
        return Finding(Level.ERROR, "schema registry", text, remedy)
    if missing:
        text = f"{place} has no schema of this release for {_some(list(missing))}"
        remedy = (
            "The first worker of this release registers them; if one runs, it was given "
            "another SCHEMA_REGISTRY_URL, or none."
        )
        return Finding(Level.WARNING, "schema registry", text, remedy)
    return Finding(Level.OK, "schema registry", f"{place}, has all schemas of this release")


def of_topics(
    wanted: Sequence[TopicSpec],
    found: Mapping[str, FoundTopic],
    brokers: int,
    replication: int | None,
) -> Iterator[Finding]:
    """Judge topics by what they must be; ``brokers`` is how many there are."""
    missing = [topic.name for topic in wanted if topic.name not in found]
    if missing:
        yield Finding(
            Level.ERROR,
            "topics",
            f"{len(missing)} of {len(wanted)} are missing: {_some(missing)}",
            "Create them: vokter topics create",
        )
    copies = replication or min(MAX_REPLICATION, brokers)
    bad = [
        finding
        for topic in wanted
        if topic.name in found
        for finding in _of_topic(topic, found[topic.name], copies)
    ]
    yield from bad
    if not bad and not missing:
        count = wanted[0].partitions
        yield Finding(Level.OK, "topics", f"{len(wanted)}, of {count} partitions each")


def _of_topic(wanted: TopicSpec, found: FoundTopic, copies: int) -> Iterator[Finding]:
    if found.partitions != wanted.partitions:
        yield Finding(
            Level.ERROR,
            wanted.name,
            f"it has {found.partitions} partitions, all must have {wanted.partitions}",
            f"Set VOKTER_PARTITIONS={found.partitions} if all have as many, else use another "
            "VOKTER_TOPIC_PREFIX: with different counts a URL has different owners.",
        )
    if found.leaderless:
        yield Finding(
            Level.ERROR,
            wanted.name,
            f"{found.leaderless} partitions have no leader",
            "Start the brokers that are down.",
        )
    if found.replication < copies:
        yield Finding(
            Level.WARNING,
            wanted.name,
            f"it has {found.replication} copies, not {copies}",
            "Add some with Kafka's kafka-reassign-partitions tool.",
        )
    yield from _of_config(wanted, found)


def _of_config(wanted: TopicSpec, found: FoundTopic) -> Iterator[Finding]:
    for name, value in wanted.config.items():
        there = found.config.get(name)
        if there is not None and not _suffices(name, there, value):
            level = Level.WARNING if name == "retention.ms" else Level.ERROR
            remedy = CHANGE.format(name=name, value=value)
            yield Finding(level, wanted.name, f"{name} is {there}, not {value}", remedy)
    minimum = int(found.config.get("min.insync.replicas", "1"))
    if minimum > found.replication:
        yield Finding(
            Level.ERROR,
            wanted.name,
            f"min.insync.replicas is {minimum}, but there are {found.replication} copies",
            CHANGE.format(name="min.insync.replicas", value=max(1, found.replication - 1)),
        )


def _suffices(name: str, there: str, wanted: str) -> bool:
    if name == "max.message.bytes":
        return int(there) >= int(wanted)
    if name == "cleanup.policy":
        return set(there.split(",")) == set(wanted.split(","))
    return there == wanted


def of_clock(now: int, newest: int | None, ticked: int | None) -> Iterator[Finding]:
    """Judge this machine's clock (epoch ms) by the broker's, and by that of who ticks.

    ``newest`` is the newest time that the broker has noted, ``ticked`` that of a tick
    that came just now.
    """
    remedy = "Have the clocks of all machines set by NTP."
    if newest is not None and newest - now > TOLERATED:
        text = f"this machine's is at least {(newest - now) / 1000:.1f} s behind the broker's"
        yield Finding(Level.ERROR, "clock", text, remedy)
    if ticked is None:
        text = "no tick came within 3 s, so it cannot be compared"
        yield Finding(Level.WARNING, "clock", text, "Start a worker: vokter worker schedule")
        return
    apart = abs(now - ticked)
    level = Level.ERROR if apart > SKEW else Level.WARNING if apart > TOLERATED else Level.OK
    text = f"{apart / 1000:.1f} s from that of the worker that ticks"
    yield Finding(level, "clock", text, "" if level is Level.OK else remedy)


def of_stage(name: str, group: Group, wanted: frozenset[TopicPartition]) -> Finding:
    """Judge whether somebody works for a stage on each of the partitions that it reads."""
    held = len(group.held & wanted)
    if held < len(wanted):
        text = f"{group.state.lower()}, {held} of {len(wanted)} partitions are held"
        return Finding(Level.WARNING, name, text, f"Start a worker: vokter worker {name}")
    return Finding(Level.OK, name, f"all {held} partitions are held; workers: {group.members}")


def _some(names: Sequence[str]) -> str:
    return ", ".join(names[:3]) + (", …" if len(names) > 3 else "")
