"""Judges settings, schema registry and agents for ``vokter doctor``: facts in, findings out.

Topics are judged in ``topics.py``, clocks in ``clock.py``, documents in ``documents.py``.
"""

from collections.abc import Iterator, Mapping

from aiokafka import TopicPartition

from connectors.access.loopback import is_loopback
from connectors.kafka.groups import Group
from connectors.kafka.standstill import Progress, StandstillClock
from connectors.kafka.transactions import open_transactions
from schemas.records.claims import Partitioned
from streams.cli.checks.finding import Finding, Level
from streams.cli.durations import shown_duration
from streams.cli.output import shortened
from streams.settings import Settings

RECENT_MS = 24 * 3600 * 1000
"""For so long a dead letter is reported."""
LITTLE_SPACE = 1_000_000_000
"""Bytes free on the disk of the data folder."""


def judge_settings(settings: Settings, has_keys: bool, free: int) -> Iterator[Finding]:
    """Judge allowed but unusual settings; ``free`` is the disk space in bytes."""
    yield Finding(Level.OK, "settings", f"the data folder is {settings.data_dir}")
    if not has_keys and not is_loopback(settings.host):
        yield Finding(
            Level.WARNING,
            "settings",
            f"VOKTER_HOST is {settings.host}, but without API keys only this machine is served",
            "Create a key: vokter keys add MANAGER",
        )
    if settings.robots == "ignore":
        yield Finding(Level.WARNING, "settings", "robots.txt is ignored (VOKTER_ROBOTS)")
    if settings.allow_private:
        networks = ", ".join(settings.allow_private)
        text = f"private networks may be fetched and notified: {networks} (VOKTER_ALLOW_PRIVATE)"
        yield Finding(Level.WARNING, "settings", text)
    if free < LITTLE_SPACE:
        yield Finding(
            Level.WARNING,
            "disk",
            f"{free / 1e6:.0f} MB are free for {settings.data_dir}",
            "Free some space: on a full disk, workers end.",
        )


def judge_transactions(
    before: Mapping[TopicPartition, Progress],
    after: Mapping[TopicPartition, Progress],
    pause_s: float,
) -> list[Finding]:
    """Judge by which messages an open transaction held up, and still does after a pause."""
    clock = StandstillClock()
    clock.note(0.0, before)
    clock.note(pause_s, after)
    return [
        Finding(
            Level.WARNING,
            "transactions",
            text,
            "Kafka's kafka-transactions tool finds its producer (find-hanging), and aborts it; "
            "transaction.max.timeout.ms on the brokers says how long one may be open.",
        )
        for text in open_transactions(clock.ages(pause_s), pause_s)
    ]


def judge_registry(
    address: str, missing: Mapping[str, bool], unreadable: Mapping[str, str]
) -> Finding:
    """Judge a schema registry by its subjects.

    Args:
        address: of the registry, without login.
        missing: subjects without this release's schema, and whether they would accept it.
        unreadable: subjects with a version that this release cannot read, and why it cannot.
    """
    refused = [subject for subject, is_accepted in missing.items() if not is_accepted]
    if refused:
        text = f"{address} refuses this release's schema for {shortened(refused)}"
        remedy = (
            "It is not compatible with the schema registered there. If an older release registered "
            "that one, stop its workers and set the subject's compatibility to "
            "BACKWARD_TRANSITIVE. If another program did, use another VOKTER_TOPIC_PREFIX."
        )
        return Finding(Level.ERROR, "schema registry", text, remedy)
    if unreadable:
        subject, reason = next(iter(unreadable.items()))
        text = f"{address} has schemas that this release cannot read: {shortened(unreadable)}"
        remedy = (
            f"Records written with them become dead letters ({subject}: {reason}). Find out who "
            "registered them, and delete these versions once no such record is on the topic."
        )
        return Finding(Level.ERROR, "schema registry", text, remedy)
    if missing:
        text = f"{address} has no schema of this release for {shortened(missing)}"
        remedy = (
            "The first worker of this release registers them. If one is running, its "
            "SCHEMA_REGISTRY_URL is another one, or not set."
        )
        return Finding(Level.WARNING, "schema registry", text, remedy)
    return Finding(Level.OK, "schema registry", f"{address} has all schemas of this release")


def judge_dead_letters(newest: int | None, now: int) -> Finding:
    """Judge when the newest dead letter was written, at ``now`` (both in epoch ms)."""
    if newest is None or now - newest > RECENT_MS:
        return Finding(Level.OK, "dead letters", "none in the last day")
    ago = shown_duration(max(60, (now - newest) // 60_000 * 60))
    text = f"messages could not be handled, the last one {ago} ago"
    remedy = "List them with their reasons: vokter dead-letters list"
    return Finding(Level.WARNING, "dead letters", text, remedy)


def judge_missing(name: str, waiting: int) -> Finding:
    """Judge an optional agent; ``waiting`` messages wait for the agent."""
    if not waiting:
        return Finding(Level.OK, name, "no worker runs, and no page needs one")
    remedy = f"Install a browser, see docs/how-to/pages-that-need-scripts.md: vokter worker {name}"
    text = f"no worker runs, and pages that need scripts wait (messages: {waiting})"
    return Finding(Level.WARNING, name, text, remedy)


def judge_agent(name: str, group: Group, wanted: frozenset[TopicPartition]) -> Finding:
    """Judge whether workers of an agent hold all its partitions."""
    held = len(group.held & wanted)
    if held < len(wanted):
        text = f"{group.state.lower()}, {held} of {len(wanted)} partitions are held"
        return Finding(Level.WARNING, name, text, f"Start a worker: vokter worker {name}")
    return Finding(Level.OK, name, f"all {held} partitions are held; workers: {group.members}")


def judge_repartition(state: Partitioned) -> Iterator[Finding]:
    """Judge an unfinished addition of partitions; nothing if finished."""
    if not state.is_done:
        text = (
            f"{state.former} partitions are becoming {state.partitions}, and all workers wait "
            "until that is finished"
        )
        remedy = f"If no such command runs, go on: vokter repartition {state.partitions}"
        yield Finding(Level.ERROR, "repartition", text, remedy)
