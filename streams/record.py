"""record: writes the read side, for listings and histories, to the store."""

import asyncio
from collections.abc import Callable, Sequence
from typing import Protocol

import structlog

from schemas.facts import Fact
from schemas.trail import trail
from streams.core.outcome import Event, Lookup, Outcome, Owned

log = structlog.get_logger()


class ReadSide(Protocol):
    """What is asked of the store; every method may raise OSError."""

    async def record(self, facts: Sequence[Fact]) -> None:
        """Bring the read side up to date; facts may come again."""

    async def prune(self, before: int) -> None:
        """Delete history older than a time (epoch ms)."""


class Record:
    """The stage."""

    def __init__(self, store: ReadSide) -> None:
        """Take the store."""
        self._store = store

    def key(self, event: Event) -> str | None:
        """Facts with one key are written in their order."""
        return f"{event.topic}/{event.partition}/{event.key!r}"

    async def assigned(self, partitions: Sequence[Owned]) -> None:
        """Nothing is kept in memory."""

    def released(self) -> None:
        """Nothing is kept in memory."""

    async def handle(self, event: Event, lookup: Lookup) -> Outcome:
        """Write one fact; the store gathers what comes at once into one transaction."""
        await self._store.record([event.fact])
        log.debug("recorded", fact=type(event.fact).__name__, **trail(event.fact))
        return Outcome()

    async def prune(self, every: float, retention: int, clock: Callable[[], int]) -> None:
        """Delete what is older than ``retention`` (ms) each ``every`` s, until cancelled."""
        while True:
            try:
                await self._store.prune(clock() - retention)
            except OSError as error:
                log.warning("old history could not be deleted, trying again", error=str(error))
            await asyncio.sleep(every)
