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

BATCH = 500
SLOW_S = 10.0
WANTED_S = 8.0
"""More events come as long as their write, if each takes as long, is done by then."""
GAIN = 1.5
"""The factor by which more events at a time must be written faster to go on with more."""

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


class BatchSize:
    """The size of the next write, at ``most``, by the durations of those before.

    A slow store gets fewer events at a time: a write that always exceeds a timeout would be
    repeated without end, and an end of the process would repeat more. If a store takes about as
    long for few events as for many, the number grows again.

    Example:
        >>> size = BatchSize(500)
        >>> size.wrote(500, 12.0)
        >>> size.now
        250
    """

    def __init__(self, most: int) -> None:
        self.now = most
        self._most = most
        self._rate = 0.0
        """Events a second of the last slow write, 0 after any other."""
        self._grows = False

    def wrote(self, count: int, took_s: float) -> None:
        """Note a write of so many events."""
        if took_s > SLOW_S:
            rate = count / took_s
            if self._grows:
                self._grows = rate > self._rate * GAIN
            else:
                self._grows = count == 1 or rate * GAIN < self._rate
            self._rate = rate
            self._change(count)
        else:
            self._rate, self._grows = 0.0, False
            more = 2.0 if took_s * 2 < WANTED_S else WANTED_S / took_s
            self.now = min(max(self.now, round(count * more)), self._most)

    def failed(self, count: int, took_s: float) -> None:
        """Note a failed write of so many events."""
        self._rate, self._grows = 0.0, False
        if took_s > SLOW_S:
            self._change(count)

    def _change(self, count: int) -> None:
        wanted = count * 2 if self._grows else count // 2
        self.now = min(max(wanted, 1), self._most)


class RecordProcessor:
    """The agent."""

    def __init__(self, read_side: ReadSide, terms: ChangeTerms) -> None:
        """Write to this read side; a change is found by its ``terms``."""
        self._read_side = read_side
        self._terms = terms
        self._size = BatchSize(BATCH)

    @property
    def most_events(self) -> int:
        """The most events of the next write."""
        return self._size.now

    def took(self, events: int, seconds: float, *, is_written: bool) -> None:
        """Note how long a write of so many events took, for the size of the next."""
        (self._size.wrote if is_written else self._size.failed)(events, seconds)
        if seconds > SLOW_S:
            log.warning("slow write", events=events, took_s=seconds, next=self._size.now)

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
