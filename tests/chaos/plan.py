"""What will go wrong, and when: all of it follows from a seed."""

from collections.abc import Iterator
from dataclasses import dataclass
from random import Random
from typing import Literal

from tests.harness.processes import ON_THE_WAY

WORKERS = tuple(name for agent in ON_THE_WAY for name in (agent, f"{agent}-2"))
OUTSIDE_SESSION = 12.0
"""Seconds; after ten the group assigns a silent worker's partitions to others."""
FROZEN = 14.0
ISOLATED = 10.0, 60.0
"""Seconds without any broker, at least and at most: from a hitch to several sessions."""
CUT_OFF = 20.0
"""Seconds without the coordinator: the session ends and another worker has the partitions."""
STORE_AWAY = 9.0
"""Seconds; SQLite itself waits for five before it says that the file is locked."""
BROKER_AWAY = 3.0
BROKER_FROZEN = BROKER_ISOLATED = 20.0
DISK_FULL = 10.0
MODEL_AWAY = 8.0
"""Seconds; each question of a subscription with a rule waits for three at most."""
OPEN = 20.0
"""Seconds for which a stranger's transaction holds up what is read of requests."""
CROWDED = 15.0
"""Seconds for which somebody watches more pages of a host than it can serve."""
HOLDERS = ("fetch", "match", "deliver")
"""Agents that are killed during a rebalance."""

What = Literal[
    "kill",
    "rebalance",
    "broker",
    "freeze broker",
    "isolate broker",
    "fill broker",
    "isolate workers",
    "fill worker",
    "store",
    "hold store",
    "open",
    "twin",
    "freeze",
    "cut-off",
    "overdue",
    "abort",
    "compress",
    "recreate",
    "hostile",
    "endless",
    "crowd",
    "kill model",
    "stop model",
]


@dataclass(frozen=True, slots=True)
class Sizes:
    """How large a run is. ``seconds`` is how long changes are planted and things go wrong."""

    documents: int = 200
    changes: int = 1000
    seconds: float = 180.0
    interval: int = 2
    hosts: int = 20
    pause: float = 4.0
    """Seconds between two kills, on average."""
    fanout: int = 300
    """Further subscriptions of the first document."""
    brokers: int = 1
    """One, or three with three replicas of each topic."""
    store: str = "sqlite"
    """The kind of store: sqlite or mongodb."""


@dataclass(frozen=True, slots=True)
class Act:
    """One thing that goes wrong at a time (s); ``away`` is how long it stays so."""

    at: float
    what: What
    who: str
    away: float


def acts(random: Random, sizes: Sizes) -> list[Act]:
    """Kills all the time, two of them in a rebalance; one outage and one stranger of each kind."""
    special = [
        ("rebalance", 0.1, 0.0),
        ("endless", 0.15, CROWDED),
        ("abort", 0.2, 0.0),
        ("twin", 0.2, 0.0),
        ("hostile", 0.25, 0.0),
        ("broker", 0.3, BROKER_AWAY),
        ("hold store", 0.35, STORE_AWAY),
        ("compress", 0.4, 0.0),
        ("recreate", 0.45, 0.0),
        ("store", 0.5, STORE_AWAY),
        ("crowd", 0.55, CROWDED),
        ("overdue", 0.6, OUTSIDE_SESSION),
        ("freeze", 0.65, FROZEN),
        ("kill model", 0.25, MODEL_AWAY),
        ("stop model", 0.6, MODEL_AWAY),
        ("cut-off", 0.75, CUT_OFF),
        ("open", 0.8, OPEN),
        ("rebalance", 0.85, 0.0),
    ]
    if sizes.brokers > 1:
        special += [
            ("fill broker", 0.1, DISK_FULL),
            ("isolate workers", 0.35, random.uniform(*ISOLATED)),
            ("freeze broker", 0.4, BROKER_FROZEN),
            ("fill worker", 0.7, DISK_FULL),
            ("isolate broker", 0.7, BROKER_ISOLATED),
            ("broker", 0.9, BROKER_AWAY),
        ]
    found = [*_kills(random, sizes)]
    for what, share, away in special:
        at = sizes.seconds * (share + random.uniform(-0.05, 0.05))
        found.append(Act(at, what, random.choice(HOLDERS), away))  # type: ignore[arg-type]  # a What
    return sorted(found, key=lambda act: act.at)


def _kills(random: Random, sizes: Sizes) -> Iterator[Act]:
    at = 0.0
    while (at := at + random.uniform(0.5, 1.5) * sizes.pause) < sizes.seconds:
        away = OUTSIDE_SESSION if random.random() < 0.2 else random.uniform(0.2, 3.0)
        yield Act(at, "kill", random.choice(WORKERS), away)
