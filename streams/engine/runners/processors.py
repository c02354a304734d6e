"""The processor of an agent decides on its events; it is of one of three kinds, as its runner."""

from collections.abc import Callable, Sequence
from typing import Protocol

from streams.values.outcome import Event, Lookup, Outcome, Owned


class OrderedProcessor(Protocol):
    """Decides at once, from what it keeps in memory of its partitions' tables.

    One with a timer also has ``tick``, and each kind ``sizes``: what it holds, for the gauges.
    """

    def begin(self, partition: int) -> None:
        """Start over with an empty memory of a partition."""

    def load(self, partition: int, key: bytes, value: bytes) -> None:
        """Load one row of the partition's table into memory."""

    def released(self) -> None:
        """Drop the memory of all partitions; their lanes have been cancelled."""

    def decide(self, event: Event) -> Outcome:
        """Decide on one event, and remember what was decided."""


class PoolProcessor(Protocol):
    """Handles one event at a time per key, and many keys at once."""

    def key(self, event: Event) -> str | None:
        """Return what must be handled in order; None if no order is needed."""

    async def assigned(self, partitions: Sequence[Owned]) -> None:
        """Load partitions, before their first event."""

    def released(self) -> None:
        """Drop the partitions; what was at work has been cancelled."""

    async def handle(self, event: Event, lookup: Lookup) -> Outcome:
        """Handle one event.

        Raise OSError if the world is broken: the event is retried until it is not. Raise
        StoreRefused if a retry cannot help: the process ends. Any other error makes the
        event a dead letter.
        """


class BatchedProcessor(Protocol):
    """Writes what several events say into the world at once."""

    async def write(self, events: Sequence[Event], signal: Callable[[], object]) -> None:
        """Write down events, in order, and call ``signal`` after each part of the work.

        Errors mean what they mean to a PoolProcessor. After one any of the events may be
        written, so it must be harmless to write all of them again. After one that is no
        OSError they are written one by one, and the one that raises it alone becomes a dead
        letter.
        """
