"""The record agent: writes the read side, for listings and histories, to the store."""

import asyncio
from collections.abc import Callable, Sequence
from logging import DEBUG
from typing import Protocol

import structlog

from schemas.records.changes import DocumentChanged
from schemas.records.facts import Fact
from schemas.records.log_ids import trail
from streams.values.outcome import Event

log = structlog.get_logger()

ChangeTerms = Callable[[DocumentChanged], str]
"""Returns the terms of a change, with blanks between; slow for a large one."""


class ReadSide(Protocol):
    """The read side of the store, as the record agent needs it; a port.

    Once a method has returned, what it wrote survives a power loss. Every method may raise
    OSError. Its write may have happened nevertheless, so every call may be repeated.
    """

    async def record(
        self, facts: Sequence[Fact], signal: Callable[[], object], terms: ChangeTerms
    ) -> None:
        """Bring the read side up to date with these facts, in their order.

        Facts may be repeated: an older one changes nothing, and a subscription that has
        ended stays ended. Commands are not recorded. After an error some of the facts may be
        recorded. A change is found by its ``terms``. Call ``signal`` after each part of the
        work.
        """

    async def prune(self, facts_before: int, snapshots_before: int) -> None:
        """Delete the rows ended or replaced before these times (epoch ms).

        ``facts_before`` applies to facts and to subscriptions that have ended, ``snapshots_before``
        to older snapshots. Those beyond the number that the store was opened to keep are deleted
        too, and waits of pages that nobody watches.
        """


class RecordProcessor:
    """The agent."""

    def __init__(self, read_side: ReadSide, terms: ChangeTerms) -> None:
        """Write to this read side; a change is found by its ``terms``."""
        self._read_side = read_side
        self._terms = terms

    def sizes(self) -> dict[str, int]:
        """Return nothing: it holds nothing between two events."""
        return {}

    async def write(self, events: Sequence[Event], signal: Callable[[], object]) -> None:
        """Record the facts of events together."""
        await self._read_side.record([event.fact for event in events], signal, self._terms)
        if log.is_enabled_for(DEBUG):
            for event in events:
                log.debug("recorded", fact=type(event.fact).__name__, **trail(event.fact))

    async def prune(
        self, every: float, *, retention: int, history: int, clock: Callable[[], int]
    ) -> None:
        """Prune every so many seconds, until cancelled.

        Facts are kept for ``retention`` ms, snapshots for ``history`` ms after they were
        replaced. ``clock`` returns epoch ms.
        """
        while True:
            try:
                now = clock()
                await self._read_side.prune(now - retention, now - history)
            except OSError as error:
                log.warning("old records could not be deleted, retrying", error=str(error))
            await asyncio.sleep(every)
