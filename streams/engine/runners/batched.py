"""Handle many events as one, for an agent that only writes down what it reads."""

import asyncio
from collections.abc import Callable, Sequence
from functools import partial
from time import monotonic
from typing import Protocol

from connectors.stores.errors import StoreRefused
from schemas.codec.wire import Undecodable
from streams.engine.acks.runner import Offsets, TakenEvent
from streams.engine.runners.handling import Handling
from streams.engine.runners.outcomes import OutcomeWriter
from streams.values.outcome import Event


class BatchedProcessor(Protocol):
    """Writes what several events say into the world at once."""

    @property
    def most_events(self) -> int:
        """The most events of the next write."""

    def took(self, events: int, seconds: float, *, is_written: bool) -> None:
        """Note how long a write of so many events took, for the size of the next."""

    async def write(self, events: Sequence[Event], signal: Callable[[], object]) -> None:
        """Write down events, in order, and call ``signal`` after each part of the work.

        Errors mean what they mean to a PoolProcessor. After one any of the events may be
        written, so it must be harmless to write all of them again. After one that is no
        OSError they are written one by one, and the one that raises it alone becomes a dead
        letter.
        """


class BatchedRunner:
    """Runs a BatchedProcessor: what comes during one write is the next one, in order."""

    def __init__(self, agent: BatchedProcessor, writer: OutcomeWriter, handling: Handling) -> None:
        """``writer`` gets the dead letters."""
        self._agent = agent
        self._writer = writer
        self._handling = handling
        self._waiting: asyncio.Queue[TakenEvent] = asyncio.Queue()
        self._task: asyncio.Task[None] | None = None

    async def load(self, done: Offsets, ends: Offsets) -> None:
        """Begin; nothing is kept in memory."""
        self.stop()
        self._waiting = asyncio.Queue()
        self._task = asyncio.create_task(self._run(self._waiting))

    def submit(self, taken: TakenEvent) -> None:
        """Put an event at the end of the queue."""
        self._waiting.put_nowait(taken)

    def stop(self) -> None:
        """Cancel what is at work."""
        if self._task is not None:
            self._task.cancel()
        self._writer.stop()

    async def _run(self, waiting: "asyncio.Queue[TakenEvent]") -> None:
        async with self._handling.ending("could not go on"):
            while True:
                batch = [await waiting.get()]
                while len(batch) < self._agent.most_events and not waiting.empty():
                    batch.append(waiting.get_nowait())
                await self._handle([taken.event for taken in batch])
                # Only now: until the write returned, a crash must read all of them again.
                for taken in batch:
                    self._handling.acks.finish(taken)

    async def _handle(self, events: Sequence[Event]) -> None:
        good = []
        for event in events:
            if isinstance(event.fact, Undecodable):
                unread = self._handling.unreadable(event, event.fact)
                await self._writer.apply(event.partition, [unread])
            else:
                good.append(event)
        if good:
            await self._write(good)

    async def _write(self, events: Sequence[Event]) -> None:
        try:
            await self._handling.retried(events, partial(self._write_parts, list(events)))
        except StoreRefused:  # a retry cannot help: the process ends
            raise
        except Exception as error:  # noqa: BLE001 - a poisonous event must not stall the others
            if len(events) == 1:
                dead_letter = self._handling.given_up(events[0], error)
                await self._writer.apply(events[0].partition, [dead_letter])
                return
            # One of them is poisonous: written one by one, only that one fails.
            for event in events:
                await self._write([event])

    async def _write_parts(self, left: list[Event]) -> None:
        """Write events, and remove from ``left`` those that are written, for a retry."""
        while left:
            part = left[: self._agent.most_events]
            begun, is_written = monotonic(), False
            try:
                await self._agent.write(part, self._handling.acks.signal)
                is_written = True
            finally:
                self._agent.took(len(part), monotonic() - begun, is_written=is_written)
            del left[: len(part)]
