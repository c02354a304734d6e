"""Handle events in strict order, one lane per partition, for stages that decide from memory."""

import asyncio
import gc
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from time import monotonic

from schemas.codec.wire import Undecodable
from streams.engine.acks.acknowledgements import Acknowledgements
from streams.engine.acks.runner import Offsets, Taken
from streams.engine.life.progress import ProgressLog
from streams.engine.runners.handling import Handling
from streams.engine.runners.long_outcomes import LongOutcomes
from streams.engine.runners.outcomes import OutcomeWriter
from streams.engine.runners.stages import OrderedStage
from streams.values.outcome import Event, Outcome

BATCH = 500
ROUND_S = 0.1
"""In this time each partition gets its turn; with a last part it stays below 0.2 s."""
ROWS_PER_TURN = 500


@dataclass(frozen=True, slots=True)
class _Round:
    """What one partition decided in its turn: outcomes in order, and the events that are done."""

    outcomes: list[Outcome]
    done: list[Taken]


class OrderedRunner:
    """Runs an OrderedStage: decides in order, makes whole batches of outcomes durable at once.

    Long outcomes are decided in parts, between other events, and only what is in the same
    line waits for them: a change that a hundred thousand subscribers are notified of holds
    up no other document's.
    """

    def __init__(
        self,
        stage: OrderedStage,
        writer: OutcomeWriter,
        acks: Acknowledgements,
        handling: Handling,
    ) -> None:
        """``writer`` gets the stage's outcomes."""
        self._stage = stage
        self._writer = writer
        self._acks = acks
        self._handling = handling
        self._queues: dict[int, asyncio.Queue[Taken]] = {}
        self._tasks: list[asyncio.Task[None]] = []
        self._busy: set[int] = set()
        """Partitions that have something to decide, and share the time of a round."""

    async def load(self, done: Offsets, ends: Offsets) -> None:
        """Build the stage's memory from its table, and start a lane for each partition."""
        self.stop()
        progress = ProgressLog("the memory is built from the table")
        for partition in done:
            # A rebalance may return a partition after its table has moved on elsewhere.
            self._stage.begin(partition)
            with _long_lived_objects():
                await self._load(partition, progress)
            queue = self._queues[partition] = asyncio.Queue()
            self._tasks.append(asyncio.create_task(self._run(partition, queue)))

    def submit(self, taken: Taken) -> None:
        """Put an event at the end of its partition's lane."""
        self._queues[taken.event.partition].put_nowait(taken)

    def stop(self) -> None:
        """Cancel all lanes."""
        for task in self._tasks:
            task.cancel()
        self._tasks.clear()
        self._queues.clear()
        self._busy.clear()
        # The memory of a partition that does not come back would stay as long as the process.
        self._stage.released()

    async def _load(self, partition: int, progress: ProgressLog) -> None:
        for count, (key, value) in enumerate(self._writer.rows(partition), 1):
            self._stage.load(partition, key, value)
            if count % ROWS_PER_TURN == 0:
                progress.add(ROWS_PER_TURN)
                await asyncio.sleep(0)  # the loop watch must beat, and the broker hear of us

    async def _run(self, partition: int, queue: asyncio.Queue[Taken]) -> None:
        lines = LongOutcomes()
        # After an error the stage's memory would be ahead of its table.
        async with self._handling.ending(f"partition {partition} could not go on"):
            while True:
                first = None if lines else await self._next_event(partition, queue)
                decided = self._round(first, queue, lines)
                await self._writer.apply(partition, decided.outcomes)
                for taken in decided.done:
                    self._acks.finish(taken)
                if lines:
                    # A long outcome commits nothing before its end, and may fill all capacity.
                    self._acks.signal()
                await asyncio.sleep(0)  # what has no outcome waits for nothing

    async def _next_event(self, partition: int, queue: "asyncio.Queue[Taken]") -> Taken:
        self._busy.discard(partition)
        taken = await queue.get()
        self._busy.add(partition)
        return taken

    def _round(
        self, first: Taken | None, queue: "asyncio.Queue[Taken]", lines: LongOutcomes
    ) -> _Round:
        """Decide on what has come, then on parts of what is long, until another's turn."""
        # Deciding never waits, so without a limit one busy partition would hold the loop.
        share = ROUND_S / len(self._busy)
        begun, decided = monotonic(), _Round([], [])
        taken = first or _next(queue)
        while taken is not None:
            self._begin(taken, lines, decided)
            is_over = len(decided.done) >= BATCH or monotonic() >= begun + share / 2
            taken = None if is_over else _next(queue)
        for taken, part in lines.decide(lambda: monotonic() >= begun + share):
            if part is None:
                decided.done.append(taken)
            elif part.sends or part.puts:
                decided.outcomes.append(part)
        return decided

    def _begin(self, taken: Taken, lines: LongOutcomes, decided: _Round) -> None:
        """Decide on an event, or put it in line if that takes long."""
        outcome = self._decide(taken.event)
        if outcome.sends or outcome.puts or outcome.rest is None:
            # Not with the parts: what is decided after it must not be stored before it.
            decided.outcomes.append(replace(outcome, rest=None))
        if outcome.rest is None:
            decided.done.append(taken)
        else:
            lines.add(outcome.line, taken, outcome.rest)

    def _decide(self, event: Event) -> Outcome:
        if isinstance(event.fact, Undecodable):
            return self._handling.unreadable(event, event.fact)
        try:
            outcome = self._stage.decide(event)
        except Exception as error:  # noqa: BLE001 - a poisonous event must not stall its partition
            return self._handling.given_up(event, error)
        if outcome.rest is not None:
            return replace(outcome, rest=self._parts(event, outcome.rest))
        self._handling.handled([event])
        return outcome

    def _parts(self, event: Event, rest: Iterator[Outcome]) -> Iterator[Outcome]:
        """Yield the rest of a long outcome; an error makes a dead letter of what is left."""
        try:
            yield from rest
        except Exception as error:  # noqa: BLE001 - a poisonous event must not stall its partition
            yield self._handling.given_up(event, error)
        else:
            self._handling.handled([event])


def _next(queue: "asyncio.Queue[Taken]") -> Taken | None:
    return None if queue.empty() else queue.get_nowait()


@contextmanager
def _long_lived_objects() -> Iterator[None]:
    """Exempt what is made within from collection: it is to stay, and would be visited each time."""
    gc.disable()
    try:
        yield
    finally:
        gc.freeze()
        gc.enable()
