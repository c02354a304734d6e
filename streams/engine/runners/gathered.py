"""Many events as one: for a stage that only writes down what it reads."""

import asyncio
from collections.abc import Sequence
from typing import Protocol

import structlog

from connectors.metrics.counters import DEAD_LETTER, HANDLED, RETRIED
from connectors.stores.errors import StoreRefused
from schemas.wire import Undecodable
from streams.core.outcome import Event, Outcome
from streams.engine.acks.flow import Done, Flow, Taken
from streams.engine.life.pulse import ending_on_error
from streams.engine.runners.dead_letters import dead_letter
from streams.engine.runners.effects import Effects

log = structlog.get_logger()

BATCH = 500
LONGEST_PAUSE = 30.0


class GatheredStage(Protocol):
    """Writes what several events say into the world at once."""

    async def write(self, events: Sequence[Event]) -> None:
        """Write down events, in order; all or none of them are written when it raises.

        OSError means that the world is broken, try again; StoreRefused, that trying
        again is of no use. On any other error the events are tried one by one, and
        the one that raises it alone becomes a dead letter.
        """


class GatheredRunner:
    """Runs a GatheredStage: what comes during one write is the next one, in order."""

    def __init__(self, name: str, stage: GatheredStage, effects: Effects, flow: Flow) -> None:
        """Take the stage and where dead letters go."""
        self._name = name
        self._stage = stage
        self._effects = effects
        self._flow = flow
        self._waiting: asyncio.Queue[Taken] = asyncio.Queue()
        self._task: asyncio.Task[None] | None = None

    async def load(self, done: Done) -> None:
        """Begin; nothing is kept in memory."""
        self.stop()
        self._waiting = asyncio.Queue()
        self._task = asyncio.create_task(self._run(self._waiting))

    def submit(self, taken: Taken) -> None:
        """Put an event at the end of the line."""
        self._waiting.put_nowait(taken)

    def stop(self) -> None:
        """Cancel what is at work."""
        if self._task is not None:
            self._task.cancel()

    async def _run(self, waiting: "asyncio.Queue[Taken]") -> None:
        with ending_on_error(f"{self._name}: could not go on"):
            while True:
                batch = [await waiting.get()]
                while len(batch) < BATCH and not waiting.empty():
                    batch.append(waiting.get_nowait())
                await self._write([taken.event for taken in batch])
                for taken in batch:
                    self._flow.finish(taken)

    async def _write(self, events: Sequence[Event]) -> None:
        bad = [event for event in events if isinstance(event.fact, Undecodable)]
        for event in bad:
            await self._give_up(event, event.fact)
        good = [event for event in events if not isinstance(event.fact, Undecodable)]
        if good:
            await self._write_good(good)

    async def _write_good(self, events: Sequence[Event]) -> None:
        pause = 0.5
        while True:
            try:
                await self._stage.write(events)
            except OSError as error:
                log.warning("trying again", stage=self._name, pause=pause, error=repr(error))
            except StoreRefused:  # trying again is of no use: the process ends
                raise
            except Exception as error:  # noqa: BLE001 - a poisonous event must not stall the others
                return await self._apart(events, error)
            else:
                return self._count(events, HANDLED)
            self._count(events, RETRIED)
            self._flow.signs.update({event.partition for event in events})
            await asyncio.sleep(pause)
            pause = min(pause * 2, LONGEST_PAUSE)

    async def _apart(self, events: Sequence[Event], error: Exception) -> None:
        if len(events) == 1:
            await self._give_up(events[0], error)
            return
        for event in events:
            await self._write_good([event])

    async def _give_up(self, event: Event, error: Exception) -> None:
        self._count([event], DEAD_LETTER)
        letter: Outcome = dead_letter(self._name, event, error)
        await self._effects.apply(event.partition, [letter])

    def _count(self, events: Sequence[Event], outcome: str) -> None:
        for event in events:
            self._flow.count(event.topic, outcome)
