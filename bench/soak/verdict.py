"""Whether what was sampled grows: pure functions of samples."""

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from enum import Enum
from math import sqrt

import numpy as np
from numpy.typing import NDArray  # noqa: TC002 - quoting hides it from readers

HOUR = 3600.0
BOUND = 0.05
"""Growth an hour, relative to the level, up to which a quantity counts as flat."""
LEAST = {"memory": 2e6, "files": 2, "threads": 2, "entries": 10, "count": 10}
"""Growth an hour that is flat however low the level is, by the first word of a quantity."""
LEAST_BYTES = 1e6
"""The same for all other quantities, which are bytes on disk."""
CERTAIN = 2.33
"""Standard deviations of chance that a trend is beyond: once in a hundred by chance."""
LIVES = ("memory", "files", "threads", "entries")
"""Quantities of a process that begin again with it; their second word is its name."""

Values = Mapping[str, float]
"""Quantities by their names, such as ``memory fetch`` (bytes) or ``files broker``."""


class Trend(Enum):
    """What a quantity does."""

    FLAT = "flat"
    GROWING = "growing"
    BY_DESIGN = "by design"


@dataclass(frozen=True, slots=True)
class Sample:
    """All quantities at a time (s); ``lives`` has the process id of each worker."""

    at: float
    values: Values
    lives: Mapping[str, int]


@dataclass(frozen=True, slots=True)
class Verdict:
    """A quantity's median, its growth an hour, and what that means.

    What grows by design does so by ``each`` for every ``unit``.
    """

    name: str
    level: float
    growth: float
    trend: Trend
    unit: str = ""
    each: float = 0.0


def verdicts(
    samples: Sequence[Sample], warm_up: float, by_design: Mapping[str, str]
) -> list[Verdict]:
    """Judge every quantity of the last sample.

    ``warm_up`` are the seconds of a process, and of the run, that do not count. ``by_design``
    has the unit that a quantity grows with; units are quantities too (``seen check``), but for
    ``second``.
    """
    lives = {name: lives_of(name, samples, warm_up) for name in samples[-1].values}
    every = {name: growth(each) for name, each in lives.items()}
    return [
        _verdict(Verdict(name, level(name, samples), grown, Trend.FLAT), lives[name])
        if (each := _each(name, every, by_design)) is None
        else Verdict(name, level(name, samples), grown, Trend.BY_DESIGN, *each)
        for name, grown in every.items()
        if not name.startswith("seen ")
    ]


def growth(lives: Sequence[Sequence[tuple[float, float]]]) -> float:
    """Return the growth an hour: the median slope of all pairs within a life (Theil and Sen).

    >>> growth([[(0, 100), (1800, 105), (3600, 110)], [(4000, 20), (5800, 25)]])
    10.0
    """
    slopes = [_slopes(np.array(life, dtype=float)) for life in lives if len(life) > 1]
    joined = np.concatenate(slopes) if slopes else np.zeros(1)
    return round(float(np.median(joined)) * HOUR, 3)


def rises(lives: Sequence[Sequence[tuple[float, float]]]) -> bool:
    """Return whether later values are larger, more often than by chance (Mann and Kendall).

    >>> [rises([[(0, 4), (1, 2), (2, 3), (3, 4)]]), rises([[(at, at) for at in range(10)]])]
    [False, True]
    """
    slopes = [_slopes(np.array(life, dtype=float)) for life in lives if len(life) > 1]
    signs = sum(float(np.sign(each).sum()) for each in slopes)
    counts = [len(life) for life in lives]
    variance = sum(count * (count - 1) * (2 * count + 5) / 18 for count in counts)
    return signs > CERTAIN * sqrt(variance)


def lives_of(
    name: str, samples: Sequence[Sample], warm_up: float
) -> list[list[tuple[float, float]]]:
    """Return times and values of a quantity, by the life of its process, without warm-ups."""
    kind, _, rest = name.partition(" ")
    owner = rest.partition(" ")[0] if kind in LIVES else ""
    found: defaultdict[int, list[tuple[float, float]]] = defaultdict(list)
    begun: dict[int, float] = {}
    for sample in samples:
        life = sample.lives.get(owner, 0)
        begun.setdefault(life, sample.at)
        if name in sample.values and sample.at - begun[life] >= warm_up:
            found[life].append((sample.at, sample.values[name]))
    return list(found.values())


def level(name: str, samples: Sequence[Sample]) -> float:
    """Return the median of a quantity."""
    return float(np.median([each.values[name] for each in samples if name in each.values]))


def is_flat(name: str, typical: float, grown: float) -> bool:
    """Return whether a quantity with this median and growth an hour counts as flat."""
    least = LEAST.get(name.partition(" ")[0], LEAST_BYTES)
    return grown <= max(least, BOUND * typical)


def _verdict(found: Verdict, lives: Sequence[Sequence[tuple[float, float]]]) -> Verdict:
    if is_flat(found.name, found.level, found.growth) or not rises(lives):
        return found
    return replace(found, trend=Trend.GROWING)


def _each(name: str, every: Values, by_design: Mapping[str, str]) -> tuple[str, float] | None:
    unit = by_design.get(name)
    if unit is None:
        return None
    units = HOUR if unit == "second" else every.get(f"seen {unit}", 0.0)
    return unit, every[name] / units if units else 0.0


def _slopes(
    life: "np.ndarray[tuple[int, int], np.dtype[np.float64]]",
) -> "np.typing.NDArray[np.float64]":
    first, second = np.triu_indices(len(life), 1)
    risen = life[second] - life[first]
    slopes: NDArray[np.float64] = risen[:, 1] / risen[:, 0]
    return slopes
