"""Handle many events as one, for an agent that only writes down what it reads."""

import asyncio
from collections.abc import Callable, Sequence
from functools import partial
from time import monotonic
from typing import Protocol

import structlog

from connectors.stores.errors import StoreRefused
from schemas.codec.wire import Undecodable
from streams.engine.acks.runner import Offsets, TakenEvent
from streams.engine.runners.handling import Handling
from streams.engine.runners.outcomes import OutcomeWriter
from streams.values.outcome import Event

log = structlog.get_logger()

BATCH = 500
SLOW_S = 10.0
WANTED_S = 8.0
"""More events come as long as their write, if each takes as long, is done by then."""
GAIN = 1.5
"""The factor by which more events at a time must be written faster to go on with more."""


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


class BatchedProcessor(Protocol):
    """Writes what several events say into the world at once."""

    async def write(self, events: Sequence[Event], signal: Callable[[], object]) -> None:
        """Write down events, in order, and call ``signal`` after each part of the work.

        Errors mean what they mean to a PoolProcessor. After one any of the events may be
        written, so it must be harmless to write all of them again. After one that is no
        OSError they are written one by one, and the one that raises it alone becomes a dead
        letter.
        """


class BatchedRunner:
    """Runs a BatchedProcessor: what comes during one write is the next one, in order."""

    def __init__(
        self,
        agent: BatchedProcessor,
        writer: OutcomeWriter,
        handling: Handling,
    ) -> None:
        """``writer`` gets the dead letters."""
        self._agent = agent
        self._writer = writer
        self._handling = handling
        self._waiting: asyncio.Queue[TakenEvent] = asyncio.Queue()
        self._task: asyncio.Task[None] | None = None
        self._size = BatchSize(BATCH)

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
                while len(batch) < self._size.now and not waiting.empty():
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
            part = left[: self._size.now]
            begun, note = monotonic(), self._size.failed
            try:
                await self._agent.write(part, self._handling.acks.signal)
                note = self._size.wrote
            finally:
                took_s = monotonic() - begun
                note(len(part), took_s)
                if took_s > SLOW_S:
                    log.warning("slow write", events=len(part), took_s=took_s, next=self._size.now)
            del left[: len(part)]
