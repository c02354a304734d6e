"""What one second, check, change and notification take, from rounds that differ in one of them."""

from collections.abc import Mapping
from dataclasses import dataclass

from bench.cost.observed import Observed, Parts

KINDS = ("cpu", "kafka", "store")
UNITS = ("second", "check", "unmodified", "change", "notification")
"""Each with the round that has it and all before it; a change is what a check costs more."""


@dataclass(frozen=True, slots=True)
class Rounds:
    """What was seen of each kind: nothing watched, no change, 304, changes, notifications.

    ``registered`` is from the first subscription until so many ``pages`` had been read.
    """

    pages: int
    rest: Observed
    registered: Observed
    unchanged: Observed
    unmodified: Observed
    changed: Observed
    notified: Observed


Units = Mapping[str, Mapping[str, Parts]]
"""CPU seconds or bytes, by kind, unit and part: ``units["cpu"]["check"]["fetch"]``."""


def units(rounds: Rounds) -> dict[str, dict[str, dict[str, float]]]:
    """Return what each unit adds: each round has one more kind of unit than the one before."""
    found: dict[str, dict[str, dict[str, float]]] = {kind: {} for kind in KINDS}
    each = rounds.rest, rounds.unchanged, rounds.unmodified, rounds.changed, rounds.notified
    for unit, seen in zip(UNITS, each, strict=True):
        for kind in KINDS:
            known = expected(found, kind, counts(seen))
            found[kind][unit] = _more(seen, kind, known, counts(seen)[unit])
    rest = {"second": rounds.registered.at}
    for kind in KINDS:
        known = expected(found, kind, rest)
        found[kind]["watch"] = _more(rounds.registered, kind, known, rounds.pages)
    return found


def counts(seen: Observed) -> dict[str, float]:
    """Return how many of each unit a round had."""
    several = (seen.at, seen.checks, seen.unmodified, seen.changes, seen.notifications)
    return dict(zip(UNITS, several, strict=True))


def expected(known: Units, kind: str, numbers: Mapping[str, float]) -> dict[str, float]:
    """Return what so many units take, by part.

    >>> expected({"cpu": {"check": {"fetch": 0.001}}}, "cpu", {"check": 10})
    {'fetch': 0.01}
    """
    found: dict[str, float] = {}
    for unit, parts in known[kind].items():
        for part, each in parts.items():
            found[part] = found.get(part, 0.0) + each * numbers.get(unit, 0.0)
    return found


def _more(seen: Observed, kind: str, known: Parts, count: float) -> dict[str, float]:
    used: Parts = getattr(seen, kind)
    return {part: max(0.0, (used[part] - known.get(part, 0.0)) / count) for part in used}
