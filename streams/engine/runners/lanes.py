"""Strict order: one lane per partition, for stages that decide from memory."""

import asyncio
import gc
from collections.abc import Iterable, Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager
from dataclasses import replace
from functools import partial
from time import monotonic
from typing import Protocol

from connectors.metrics.counters import DEAD_LETTER, HANDLED
from schemas.wire import Undecodable
from streams.core.outcome import Event, Outcome, Send
from streams.engine.acks.flow import Done, Flow, Taken
from streams.engine.life.progress import ProgressLog
from streams.engine.life.pulse import ending_on_error
from streams.engine.runners.dead_letters import dead_letter
from streams.engine.runners.effects import Effects
from streams.engine.runners.overflow import OverflowLanes

Decided = tuple[Taken, Outcome]

BATCH = 500
ROUND = 0.5
"""Seconds in which each partition has its turn, well within what ``Pulse`` allows the loop."""
ROWS_PER_TURN = 500


@contextmanager
def many_new_objects() -> Iterator[None]:
    """Spare the garbage collector what is to stay: it would look at it all again and again."""
    gc.disable()
    try:
        yield
    finally:
        gc.freeze()
        gc.enable()


class LaneStage(Protocol):
    """Decides at once, from what it keeps in memory of its partitions' tables."""

    def begin(self, partition: int) -> None:
        """Start over with an empty memory of a partition."""

    def load(self, partition: int, key: bytes, value: bytes) -> None:
        """Take one row of the partition's table into memory."""

    def decide(self, event: Event) -> Outcome:
        """Decide on one event, and remember what was decided."""


class LaneRunner:
    """Runs a LaneStage; decides in order, makes whole batches durable at once.

    Long outcomes are sent beside the lane, and what is in line behind one waits for it:
    a change that a hundred thousand are told of holds up no other document's.
    """

    def __init__(self, name: str, stage: LaneStage, effects: Effects, flow: Flow) -> None:
        """Take the stage and what its outcomes go through."""
        self._name = name
        self._stage = stage
        self._effects = effects
        self._flow = flow
        self._queues: dict[int, asyncio.Queue[Taken]] = {}
        self._asides: list[OverflowLanes] = []
        self._tasks: list[asyncio.Task[None]] = []

    async def load(self, done: Done) -> None:
        """Rebuild the stage's memory from its table; lets the loop breathe."""
        self.stop()
        progress = ProgressLog("the memory is built from the table")
        for partition in done:
            self._stage.begin(partition)
            with many_new_objects():
                await self._load(partition, progress)
            queue = self._queues[partition] = asyncio.Queue()
            self._tasks.append(asyncio.create_task(self._run(partition, queue)))

    async def _load(self, partition: int, progress: ProgressLog) -> None:
        for count, (key, value) in enumerate(self._effects.rows(partition), 1):
            self._stage.load(partition, key, value)
            if count % ROWS_PER_TURN == 0:
                progress.add(ROWS_PER_TURN)
                await asyncio.sleep(0)

    def submit(self, taken: Taken) -> None:
        """Put an event at the end of its partition's lane."""
        self._queues[taken.event.partition].put_nowait(taken)

    def stop(self) -> None:
        """Cancel all lanes."""
        for task in self._tasks:
            task.cancel()
        for asides in self._asides:
            asides.stop()
        self._asides.clear()
        self._tasks.clear()
        self._queues.clear()

    async def _run(self, partition: int, queue: asyncio.Queue[Taken]) -> None:
        # After an error the stage's memory would be ahead of its table.
        asides = OverflowLanes()
        self._asides.append(asides)
        with self._ending(partition):
            while True:
                decided: Sequence[Decided] = self._turn(await queue.get(), queue)
                while decided:
                    decided = await self._some(partition, decided, asides)
                await asyncio.sleep(0)  # what has no outcome waits for nothing

    def _turn(self, first: Taken, queue: "asyncio.Queue[Taken]") -> Sequence[Decided]:
        """Decide on what has come, until it is another partition's turn."""
        end = monotonic() + ROUND / len(self._queues)
        decided = [(first, self._decide(first.event))]
        while len(decided) < BATCH and not queue.empty() and monotonic() < end:
            taken = queue.get_nowait()
            decided.append((taken, self._decide(taken.event)))
        return decided

    async def _some(
        self, partition: int, decided: Sequence[Decided], asides: OverflowLanes
    ) -> Sequence[Decided]:
        """Make outcomes durable up to one that has to wait for its line; give the rest."""
        at_once: list[Decided] = []
        long: dict[str, list[Decided]] = {}
        rest: Sequence[Decided] = ()
        for number, (taken, outcome) in enumerate(decided):
            waits = outcome.line in asides or outcome.line in long
            if waits and outcome.puts:
                rest = decided[number:]
                break
            if waits or outcome.is_long:
                long.setdefault(outcome.line, []).append((taken, outcome))
            else:
                at_once.append((taken, outcome))
        await self._apply(partition, at_once)
        for line, several in long.items():
            for each in several:
                asides.begin(line, partial(self._beside, partition, each))
        if rest:
            await asides.done(rest[0][1].line)
        return rest

    async def _beside(self, partition: int, decided: Decided) -> None:
        with self._ending(partition):
            await self._apply(partition, [decided])

    async def _apply(self, partition: int, decided: Sequence[Decided]) -> None:
        await self._effects.apply(partition, [outcome for _, outcome in decided])
        for taken, _ in decided:
            self._flow.finish(taken)

    def _ending(self, partition: int) -> AbstractContextManager[None]:
        return ending_on_error(f"{self._name}: partition {partition} could not go on")

    def _decide(self, event: Event) -> Outcome:
        if isinstance(event.fact, Undecodable):
            return self._dead(event, event.fact)
        try:
            outcome = self._stage.decide(event)
        except Exception as error:  # noqa: BLE001 - a poisonous event must not stall its partition
            return self._dead(event, error)
        self._flow.count(event.topic, HANDLED)
        if outcome.is_long:
            return replace(outcome, sends=self._guarded(event, outcome.sends))
        return outcome

    def _guarded(self, event: Event, sends: Iterable[Send]) -> Iterator[Send]:
        """Give sends that are made while they are sent; an error is the event's, as before."""
        try:
            yield from sends
        except Exception as error:  # noqa: BLE001 - a poisonous event must not stall its partition
            yield from self._dead(event, error).sends

    def _dead(self, event: Event, error: Exception) -> Outcome:
        self._flow.count(event.topic, DEAD_LETTER)
        return dead_letter(self._name, event, error)
