"""Judges settings, schema registry, clock and stages for ``vokter doctor``: facts in, findings out.

Topics are judged in ``topics.py``.
"""

from collections.abc import Iterator, Mapping, Sequence

from aiokafka import TopicPartition

from connectors.api.access.middleware import is_loopback
from connectors.kafka.groups import Group
from schemas.documents import FailingDocument, FlappingDocument, PageWait
from streams.cli.durations import shown_duration
from streams.cli.health.finding import Finding, Level
from streams.cli.output import printable, shortened
from streams.settings import Settings

REFUSED_SKEW_MS, TOLERATED_SKEW_MS = 60_000, 5_000
"""Schedule refuses ticks from the first difference on; up to the second all is well."""
TOLERATED_WAIT_S = 60
RECENT_MS = 24 * 3600 * 1000
"""For so long a dead letter is reported."""
MOST_COUNTED = 1_000
"""Documents that are counted, of those that wait and of those that fail."""
LITTLE_SPACE = 1_000_000_000
"""Bytes free on the disk of the data folder."""


def judge_settings(settings: Settings, has_keys: bool, free: int) -> Iterator[Finding]:
    """Judge settings that are allowed but seldom meant; ``free`` is the disk space in bytes."""
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


def judge_clock(now: int, newest: int | None, ticked: int | None) -> Iterator[Finding]:
    """Judge this machine's clock by the broker's, and by that of the worker that ticks.

    Args:
        now: this machine's time in epoch ms.
        newest: the newest timestamp that the broker has set, None if there is none.
        ticked: the time in a tick that has just arrived, None if none arrived.
    """
    remedy = "Synchronise the clocks of all machines (NTP)."
    if newest is not None and newest - now > TOLERATED_SKEW_MS:
        text = f"this machine's is at least {(newest - now) / 1000:.1f} s behind the broker's"
        yield Finding(Level.ERROR, "clock", text, remedy)
    if ticked is None:
        text = "no tick arrived within 3 s, so it cannot be compared with schedule's"
        yield Finding(Level.WARNING, "clock", text, "Start a worker: vokter worker schedule")
        return
    skew = abs(now - ticked)
    level = Level.OK
    if skew > TOLERATED_SKEW_MS:
        level = Level.ERROR if skew > REFUSED_SKEW_MS else Level.WARNING
    text = f"differs by {skew / 1000:.1f} s from that of the schedule worker"
    yield Finding(level, "clock", text, "" if level is Level.OK else remedy)


def judge_waits(waits: Sequence[PageWait], now: int) -> Finding:
    """Judge which documents wait for their fetch, oldest first, at ``now`` (epoch ms)."""
    if not waits:
        return Finding(Level.OK, "fetches", "no document waits")
    oldest = waits[0]
    seconds = max(0, now - oldest.since) // 1000
    text = (
        f"documents that are due and wait: {len(waits)}{_more(waits)}; the first, {oldest.url}, "
        f"for {seconds} s: {oldest.reason}"
    )
    level = Level.WARNING if seconds > TOLERATED_WAIT_S else Level.OK
    remedy = "Watch this host at longer intervals; VOKTER_HOST_DELAY is for sites of your own."
    is_host = level is Level.WARNING and "its host" in oldest.reason
    return Finding(level, "fetches", text, remedy if is_host else "")


def judge_failures(failing: Sequence[FailingDocument], *, has_good: bool) -> Finding:
    """Judge which documents failed at their last fetch, the one with most failures first.

    ``has_good`` says whether any other did not. A document counts once, though it may fail
    in several views.
    """
    if not failing:
        return Finding(Level.OK, "documents", "none failed at its last fetch")
    first = failing[0]
    text = (
        f"failed at their last fetch: {len({each.url for each in failing})}{_more(failing)}; "
        f"the first, {first.url} (failures in a row: {first.failures}): {printable(first.error)}"
    )
    reasons = "List them with their reasons: vokter list --failing"
    if has_good:
        return Finding(Level.WARNING, "documents", text, reasons)
    remedy = (
        f"Check whether this machine reaches them: network, proxy, VOKTER_ALLOW_PRIVATE. {reasons}"
    )
    return Finding(Level.ERROR, "documents", f"all {text}", remedy)


def judge_returns(flapping: Sequence[FlappingDocument]) -> Finding:
    """Judge which documents keep going back to texts that they had before."""
    if not flapping:
        return Finding(Level.OK, "returns", "no document keeps going back to earlier texts")
    text = (
        "go back to earlier texts three times a day or more: "
        f"{len({each.url for each in flapping})}{_more(flapping)}; the first, {flapping[0].url}"
    )
    remedy = (
        "Such a page has variants, or its servers have different copies. Set ignoreReturns in its "
        "subscriptions, or watch the address of one variant. List them: vokter list --flapping"
    )
    return Finding(Level.WARNING, "returns", text, remedy)


def judge_dead_letters(newest: int | None, now: int) -> Finding:
    """Judge when the newest dead letter was written, at ``now`` (both in epoch ms)."""
    if newest is None or now - newest > RECENT_MS:
        return Finding(Level.OK, "dead letters", "none in the last day")
    ago = shown_duration(max(60, (now - newest) // 60_000 * 60))
    text = f"messages could not be handled, the last one {ago} ago"
    remedy = "List them with their reasons: vokter dead-letters list"
    return Finding(Level.WARNING, "dead letters", text, remedy)


def _more(counted: Sequence[object]) -> str:
    return " or more" if len(counted) >= MOST_COUNTED else ""


def judge_missing(name: str, waiting: int) -> Finding:
    """Judge a stage that runs only where it is needed; ``waiting`` messages wait for it."""
    if not waiting:
        return Finding(Level.OK, name, "no worker runs, and no page needs one")
    remedy = f"Install a browser, see docs/how-to/pages-that-need-scripts.md: vokter worker {name}"
    text = f"no worker runs, and pages that need scripts wait (messages: {waiting})"
    return Finding(Level.WARNING, name, text, remedy)


def judge_stage(name: str, group: Group, wanted: frozenset[TopicPartition]) -> Finding:
    """Judge whether workers of a stage hold all partitions that it reads."""
    held = len(group.held & wanted)
    if held < len(wanted):
        text = f"{group.state.lower()}, {held} of {len(wanted)} partitions are held"
        return Finding(Level.WARNING, name, text, f"Start a worker: vokter worker {name}")
    return Finding(Level.OK, name, f"all {held} partitions are held; workers: {group.members}")
