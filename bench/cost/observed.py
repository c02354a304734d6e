"""What a deployment has used and kept until a moment, and between two of them."""

from collections.abc import Mapping
from dataclasses import asdict, dataclass
from time import monotonic

from bench import stored
from bench.race.up import Up
from bench.race.watched import Watched

Parts = Mapping[str, float]
"""Figures of processes, topics or tables, by their names."""


@dataclass(frozen=True, slots=True)
class Observed:
    """Counts since the round began, CPU seconds since the start, bytes as they are.

    ``checks`` are those that got the page, ``unmodified`` those that were answered with 304.
    ``cpu`` and ``memory`` are by process, ``kafka`` by topic and ``store`` by table.
    """

    at: float
    checks: float
    unmodified: float
    changes: float
    notifications: float
    cpu: Parts
    kafka: Parts
    store: Parts
    memory: Parts


async def observe(up: Up, watched: Watched) -> Observed:
    """Look at everything now."""
    settings, seen = up.settings, await watched.seen()
    return Observed(
        monotonic(), seen.fetches - seen.not_modified, seen.not_modified, len(seen.planted),
        seen.notified, up.spent(),
        kafka=stored.topic_logs(settings.local_broker, settings.topic_prefix),
        store=stored.store_tables(settings.data_dir / "vokter.db"),
        memory=up.memory(),
    )  # fmt: skip


def between(before: Observed, after: Observed) -> Observed:
    """Return what was used and added; memory is as it was in the end."""
    then, now = asdict(before), asdict(after)
    parts = {
        name: {part: value - then[name].get(part, 0.0) for part, value in now[name].items()}
        for name in ("cpu", "kafka", "store")
    }
    return Observed(
        after.at - before.at,
        after.checks - before.checks,
        after.unmodified - before.unmodified,
        after.changes - before.changes,
        after.notifications - before.notifications,
        memory=after.memory,
        **parts,
    )
