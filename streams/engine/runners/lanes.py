"""Handle events in strict order, one lane per partition, for stages that decide from memory."""

import asyncio
from collections.abc import Iterable, Iterator, Sequence
from contextlib import AbstractContextManager
from dataclasses import replace
from functools import partial
from time import monotonic

from schemas.wire import Undecodable
from streams.core.outcome import Event, Outcome, Send
from streams.engine.acks.flow import Flow, Offsets, Taken
from streams.engine.life.progress import ProgressLog
from streams.engine.life.pulse import ending_on_error
from streams.engine.runners.garbage import long_lived_objects
from streams.engine.runners.handling import Handling
from streams.engine.runners.outcomes import OutcomeWriter
from streams.engine.runners.overflow import OverflowLanes
from streams.engine.runners.stages import LaneStage

Decided = tuple[Taken, Outcome]

BATCH = 500
ROUND_S = 0.5
"""In this time each partition gets its turn, well within what ``Pulse`` allows the loop."""
ROWS_PER_TURN = 500


class LaneRunner:
    """Runs a LaneStage: decides in order, makes whole batches of outcomes durable at once.

    Long outcomes are sent on overflow lanes, and only what is in the same line waits for
    them: a change that a hundred thousand subscribers are notified of holds up no other
    document's.
    """

    def __init__(self, name: str, stage: LaneStage, writer: OutcomeWriter, flow: Flow) -> None:
        """``writer`` gets the stage's outcomes, ``flow`` the acknowledgements."""
        self._name = name
        self._stage = stage
        self._writer = writer
        self._flow = flow
        self._handling = Handling(name, flow)
        self._queues: dict[int, asyncio.Queue[Taken]] = {}
        self._overflows: list[OverflowLanes] = []
        self._tasks: list[asyncio.Task[None]] = []

    async def load(self, done: Offsets, ends: Offsets) -> None:
        """Build the stage's memory from its table, and start a lane for each partition."""
        self.stop()
        progress = ProgressLog("the memory is built from the table")
        for partition in done:
            # A rebalance may return a partition whose table has moved on elsewhere.
            self._stage.begin(partition)
            with long_lived_objects():
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
        for overflow in self._overflows:
            overflow.stop()
        self._overflows.clear()
        self._tasks.clear()
        self._queues.clear()

    async def _load(self, partition: int, progress: ProgressLog) -> None:
        for count, (key, value) in enumerate(self._writer.rows(partition), 1):
            self._stage.load(partition, key, value)
            if count % ROWS_PER_TURN == 0:
                progress.add(ROWS_PER_TURN)
                await asyncio.sleep(0)  # the pulse must beat, and the broker hear of us

    async def _run(self, partition: int, queue: asyncio.Queue[Taken]) -> None:
        overflow = OverflowLanes()
        self._overflows.append(overflow)
        # After an error the stage's memory would be ahead of its table.
        with self._ending(partition):
            while True:
                decided: Sequence[Decided] = self._turn(await queue.get(), queue)
                while decided:
                    decided = await self._apply_until_blocked(partition, decided, overflow)
                await asyncio.sleep(0)  # what has no outcome waits for nothing

    def _turn(self, first: Taken, queue: "asyncio.Queue[Taken]") -> Sequence[Decided]:
        """Decide on what has come, until it is another partition's turn."""
        # Deciding never waits, so without a limit one busy partition would hold the loop.
        end = monotonic() + ROUND_S / len(self._queues)
        decided = [(first, self._decide(first.event))]
        while len(decided) < BATCH and not queue.empty() and monotonic() < end:
            taken = queue.get_nowait()
            decided.append((taken, self._decide(taken.event)))
        return decided

    async def _apply_until_blocked(
        self, partition: int, decided: Sequence[Decided], overflow: OverflowLanes
    ) -> Sequence[Decided]:
        """Make outcomes durable up to one that has to wait for its line; return the rest.

        Puts must reach the table in the order in which they were decided, so one whose
        line is still on an overflow lane holds up all after it.
        """
        at_once: list[Decided] = []
        long: dict[str, list[Decided]] = {}
        rest: Sequence[Decided] = ()
        for number, (taken, outcome) in enumerate(decided):
            waits = outcome.line in overflow or outcome.line in long
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
                overflow.begin(line, partial(self._apply_apart, partition, each))
        if rest:
            await overflow.done(rest[0][1].line)
        return rest

    async def _apply_apart(self, partition: int, decided: Decided) -> None:
        with self._ending(partition):
            await self._apply(partition, [decided])

    async def _apply(self, partition: int, decided: Sequence[Decided]) -> None:
        await self._writer.apply(partition, [outcome for _, outcome in decided])
        for taken, _ in decided:
            self._flow.finish(taken)

    def _ending(self, partition: int) -> AbstractContextManager[None]:
        return ending_on_error(f"{self._name}: partition {partition} could not go on")

    def _decide(self, event: Event) -> Outcome:
        if isinstance(event.fact, Undecodable):
            return self._handling.given_up(event, event.fact)
        try:
            outcome = self._stage.decide(event)
        except Exception as error:  # noqa: BLE001 - a poisonous event must not stall its partition
            return self._handling.given_up(event, error)
        self._handling.handled([event])
        # Sends of a long outcome are computed when they are sent, outside of this try.
        if outcome.is_long:
            return replace(outcome, sends=self._guarded(event, outcome.sends))
        return outcome

    def _guarded(self, event: Event, sends: Iterable[Send]) -> Iterator[Send]:
        """Yield sends that are computed while they are sent; an error makes a dead letter."""
        try:
            yield from sends
        except Exception as error:  # noqa: BLE001 - a poisonous event must not stall its partition
            yield from self._handling.given_up(event, error).sends
