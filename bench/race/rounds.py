"""What everybody is measured in, and what is measured."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Protocol

from bench.race.site import Mode
from bench.race.watched import Watched

MODES = {
    "unchanged, 200": Mode(),
    "unchanged, 304": Mode(conditional=True),
    "10 % changed": Mode(changing=0.1),
    "all changed": Mode(changing=1.0),
}
AT_EACH_RATE = ("unchanged, 304", "all changed")
"""Modes that are measured at the lower rates too: each of them takes as long as at the highest."""
MIN_CHECKS = 200
"""A round goes on for so many checks: the clock of a process counts hundredths of a second."""
TIMEOUT_S = 600.0
"""Seconds that a round may take before the bench gives up."""


@dataclass(frozen=True, slots=True)
class Round:
    """Checks of pages that behave in a mode: each page once an interval, or all due at once."""

    mode: Mode
    is_flat_out: bool
    names: Sequence[str]
    """A contender that checks all back to back takes part in those of each rate."""


@dataclass(frozen=True, slots=True)
class Course:
    """What a contender is given; ``environments`` holds a folder ``peers-NAME`` for each peer.

    ``pages`` are its own, for the others' rounds change theirs. ``rate`` is how many of them are
    due in a second.
    """

    watched: Watched
    pages: list[str]
    folder: Path
    environments: Path
    rate: int
    interval: int


@dataclass(frozen=True, slots=True)
class Result:
    """One round of one contender.

    CPU in seconds: ``cpu`` of all its processes, ``resting`` the part of it that it
    would have used without a check (starting, or idle), ``broker`` is the broker's part.
    """

    checks: int
    not_modified: int
    planted: int
    found: int
    cpu: float
    resting: float
    wall: float
    memory: int
    broker: float = 0.0
    broker_memory: int = 0
    parts: dict[str, float] = field(default_factory=dict)


class Contender(Protocol):
    """Somebody who watches all pages of the course."""

    name: str
    pages: int

    def version(self) -> str:
        """Return the name and version of what is measured."""

    async def prepare(self) -> None:
        """Watch all pages, with their first versions known."""

    async def warm(self) -> None:
        """Be ready for the rounds of a repetition."""

    async def run(self, round_: Round) -> Result:
        """Check all pages once, or for MIN_CHECKS, while they behave so."""

    async def rest(self) -> None:
        """Leave the machine to others until the next repetition."""

    async def close(self) -> None:
        """End everything."""


def rounds_at(rate: int, rates: Sequence[int]) -> Iterator[Round]:
    """Yield the rounds of a contender that checks ``rate`` pages a second.

    At the highest of the ``rates`` there are those of all modes, first flat out.

    >>> [name for each in rounds_at(10, (10, 200)) for name in each.names]
    ['unchanged, 304, 10 a second', 'all changed, 10 a second']
    """
    is_highest = rate == max(rates)
    if is_highest:
        for kind, mode in MODES.items():
            yield Round(mode, is_flat_out=True, names=[f"{kind}, flat out"])
    for kind in MODES if is_highest else AT_EACH_RATE:
        yield Round(MODES[kind], is_flat_out=False, names=[f"{kind}, {rate} a second"])


def rounds_back_to_back(rates: Sequence[int]) -> Iterator[Round]:
    """Yield the rounds of a contender that checks all pages one after the other."""
    every = [each for rate in rates for each in rounds_at(rate, rates)]
    every.sort(key=lambda each: not each.is_flat_out)
    for mode in MODES.values():
        names = [name for each in every if each.mode == mode for name in each.names]
        yield Round(mode, is_flat_out=True, names=names)


def seconds_of(course: Course) -> int:
    """Return the seconds of a round that is not flat out: whole intervals, for MIN_CHECKS.

    Each page is due equally often in them.
    """
    passes = -(-MIN_CHECKS // len(course.pages))
    return passes * course.interval
