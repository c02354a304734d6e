"""record: writes the read side, for listings and histories, to the store."""

import asyncio
from collections.abc import Callable, Sequence
from logging import DEBUG
from typing import Protocol

import structlog

from schemas.facts import Fact
from schemas.trail import trail
from streams.core.outcome import Event

log = structlog.get_logger()


class ReadSide(Protocol):
    """What is asked of the store; every method may raise OSError."""

    async def record(self, facts: Sequence[Fact]) -> None:
        """Bring the read side up to date; facts may come again."""

    async def prune(self, before: int, former_before: int) -> None:
        """Delete history, and snapshots that were replaced, older than times (epoch ms)."""


class RecordStage:
    """The stage."""

    def __init__(self, store: ReadSide) -> None:
        """Take the store."""
        self._store = store

    async def write(self, events: Sequence[Event]) -> None:
        """Write the facts of events, all in one transaction."""
        await self._store.record([event.fact for event in events])
        if log.is_enabled_for(DEBUG):
            for event in events:
                log.debug("recorded", fact=type(event.fact).__name__, **trail(event.fact))

    async def prune(
        self, every: float, retention: int, former: int, clock: Callable[[], int]
    ) -> None:
        """Delete what is older than ``retention`` (ms) each ``every`` s, until cancelled.

        Snapshots are kept for ``former`` ms after they were replaced.
        """
        while True:
            try:
                time = clock()
                await self._store.prune(time - retention, time - former)
            except OSError as error:
                log.warning("old history could not be deleted, trying again", error=str(error))
            await asyncio.sleep(every)
