"""Many events at once, one at a time per key, for stages that wait on the world."""

import asyncio
from collections import defaultdict, deque
from collections.abc import Coroutine, Sequence
from functools import partial
from typing import Protocol

import structlog
from aiokafka.errors import KafkaError

from connectors.metrics.counters import DEAD_LETTER, HANDLED, RETRIED
from connectors.stores.errors import StoreRefused
from schemas.trail import trail
from schemas.wire import Undecodable
from streams.core.outcome import Event, Lookup, Outcome, Owned
from streams.engine.acks.flow import Done, Flow, Taken
from streams.engine.life.pulse import end_process
from streams.engine.runners.batches import Batches
from streams.engine.runners.dead_letters import dead_letter
from streams.engine.runners.effects import Effects

log = structlog.get_logger()

LONGEST_PAUSE = 30.0


class PoolStage(Protocol):
    """Handles one event at a time per key, and many keys at once."""

    def key(self, event: Event) -> str | None:
        """What must be handled in order; None where no order is needed."""

    async def assigned(self, partitions: Sequence[Owned]) -> None:
        """Take up partitions, before their first event."""

    def released(self) -> None:
        """Drop the partitions; what is at work has been cancelled."""

    async def handle(self, event: Event, lookup: Lookup) -> Outcome:
        """Handle one event.

        OSError means that the world is broken, try again; StoreRefused, that trying
        again is of no use. Any other error makes the event a dead letter.
        """


class PoolRunner:
    """Runs a PoolStage."""

    def __init__(self, name: str, stage: PoolStage, effects: Effects, flow: Flow) -> None:
        """Take the stage and what its outcomes go through."""
        self._name = name
        self._stage = stage
        self._effects = effects
        self._batches = Batches(effects, self._start)
        self._flow = flow
        self._lines: defaultdict[str, deque[Taken]] = defaultdict(deque)
        self._tasks: set[asyncio.Task[None]] = set()

    async def load(self, done: Done) -> None:
        """Let the stage take up its partitions."""
        rows = self._effects.rows
        await self._stage.assigned([Owned(p, done[p], partial(rows, p)) for p in done])

    def submit(self, taken: Taken) -> None:
        """Start the event at once, or behind those of its key."""
        fact = taken.event.fact
        key = None if isinstance(fact, Undecodable) else self._stage.key(taken.event)
        if key is None:
            self._start(self._one(taken))
            return
        line = self._lines[key]
        line.append(taken)
        if len(line) == 1:
            self._start(self._in_line(key))

    def stop(self) -> None:
        """Cancel all that is at work."""
        for task in self._tasks:
            task.cancel()
        self._lines.clear()
        self._batches.clear()
        self._stage.released()

    def _start(self, work: Coroutine[None, None, None]) -> None:
        task = asyncio.create_task(work)
        self._tasks.add(task)
        task.add_done_callback(self._ended)

    def _ended(self, task: "asyncio.Task[None]") -> None:
        self._tasks.discard(task)
        if not task.cancelled() and (error := task.exception()) is not None:
            end_process(f"{self._name}: an outcome could not be made durable", error)

    async def _in_line(self, key: str) -> None:
        line = self._lines[key]
        while line:
            await self._one(line[0])
            line.popleft()
        del self._lines[key]

    async def _one(self, taken: Taken) -> None:
        event = taken.event
        outcome = await self._outcome(event)
        if outcome.sends or outcome.puts:
            await self._batches.apply(event.partition, outcome)
        self._flow.finish(taken)

    async def _outcome(self, event: Event) -> Outcome:
        if isinstance(event.fact, Undecodable):
            return self._dead(event, event.fact)
        lookup = partial(self._batches.read, event.partition)
        pause = 0.5
        while True:
            try:
                outcome = await self._stage.handle(event, lookup)
            except (OSError, KafkaError) as error:
                about = {"stage": self._name, "topic": event.topic, **trail(event.fact)}
                log.warning("trying again", **about, pause=pause, error=repr(error))
            except StoreRefused:  # trying again is of no use: the process ends
                raise
            except Exception as error:  # noqa: BLE001 - a poisonous event must not stall its partition
                return self._dead(event, error)
            else:
                self._flow.count(event.topic, HANDLED)
                return outcome
            self._flow.count(event.topic, RETRIED)
            self._flow.signs[event.partition] += 1
            await asyncio.sleep(pause)
            pause = min(pause * 2, LONGEST_PAUSE)

    def _dead(self, event: Event, error: Exception) -> Outcome:
        self._flow.count(event.topic, DEAD_LETTER)
        return dead_letter(self._name, event, error)
