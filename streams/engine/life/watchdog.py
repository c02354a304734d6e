"""Notices that a partition's committed offset stands still while messages wait for it.

Faust has faults of this kind: a commit that never ends, an agent that takes
nothing more. All that it believes of itself looks well then, so the broker is asked.
"""

import asyncio
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from time import monotonic
from typing import Protocol

import structlog
from aiokafka.errors import KafkaError
from faust.types import TP

from streams.engine.life.pulse import end_process, ending_on_error

log = structlog.get_logger()

LIMIT = 120.0
"""Seconds; more than any event takes that is not being tried again."""
INTERVAL = 10.0


@dataclass(frozen=True, slots=True)
class Standing:
    """How far a partition is.

    ``behind`` is the number of messages after the ``committed`` offset. Each
    time that an event was tried again counts in ``signs``: a store that is away
    is waited for, however long it takes. So does each event that others wait for.
    """

    committed: int
    behind: int
    signs: int = 0

    @property
    def sign(self) -> tuple[int, int]:
        """What changes as long as work goes on."""
        return self.committed, self.signs


class Standings(Protocol):
    """Tells how far a worker's partitions are; may raise KafkaError or OSError."""

    async def look(self) -> Mapping[TP, Standing]:
        """Give the standing of each partition that is watched now."""

    async def is_waiting(self, place: TP) -> bool:
        """Whether there really is a message after the committed offset."""


class Watchdog:
    """Remembers since when each partition has shown the same sign with messages waiting."""

    def __init__(self, limit: float) -> None:
        """``limit`` in seconds."""
        self._limit = limit
        self._since: dict[TP, tuple[tuple[int, int], float]] = {}

    def stalled(self, now: float, standings: Mapping[TP, Standing]) -> dict[TP, float]:
        """Give for how long (s) each partition has stood still that has done so too long.

        Partitions that are not among the ``standings`` are forgotten.
        """
        known, self._since = self._since, {}
        for place, standing in standings.items():
            sign, begun = known.get(place, (None, now))
            moves = standing.behind <= 0 or sign != standing.sign
            self._since[place] = standing.sign, now if moves else begun
        ages = {place: now - begun for place, (_, begun) in self._since.items()}
        return {place: age for place, age in ages.items() if age > self._limit}


async def watch(standings: Standings, seen: Callable[[float, Mapping[TP, Standing]], None]) -> None:
    """Look again and again until cancelled; end the process where something stands still.

    ``seen`` takes the time (monotonic, s) and what was found at each look.

    A broker that does not answer is no stall, and begins all counts anew.
    """
    watchdog = Watchdog(LIMIT)
    with ending_on_error("the watchdog stopped"):
        while True:
            await asyncio.sleep(INTERVAL)
            try:
                found = await standings.look()
                seen(monotonic(), found)
                await _judge(watchdog, standings, found)
            except (KafkaError, OSError) as error:
                log.warning("the broker does not say how far this is", error=repr(error))
                watchdog.stalled(monotonic(), {})


async def _judge(watchdog: Watchdog, standings: Standings, found: Mapping[TP, Standing]) -> None:
    stalled = watchdog.stalled(monotonic(), found)
    for place, age in stalled.items():
        if await standings.is_waiting(place):
            end_process(f"nothing was done for {age:.0f} s on {place.topic}/{place.partition}")
