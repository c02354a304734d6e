"""What everybody is measured in, and what is measured."""

from dataclasses import dataclass, field
from pathlib import Path
from typing import Protocol

from bench.race.site import Mode
from bench.race.watched import Watched

ROUNDS = {
    "unchanged, 200": Mode(),
    "unchanged, 304": Mode(conditional=True),
    "10 % changed": Mode(changing=0.1),
    "all changed": Mode(changing=1.0),
}
TIMEOUT_S = 600.0
"""Seconds that a round may take before the bench gives up."""


@dataclass(frozen=True, slots=True)
class Course:
    """What a contender is given; ``environments`` holds a folder ``peers-NAME`` for each peer.

    ``pages`` are its own, for the others' rounds change theirs.
    """

    watched: Watched
    pages: list[str]
    folder: Path
    environments: Path
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

    async def run(self, mode: Mode) -> Result:
        """Check all pages once while they behave so."""

    async def rest(self) -> None:
        """Leave the machine to others until the next repetition."""

    async def close(self) -> None:
        """End everything."""
