"""Handle events in strict order, one lane per partition, for agents that decide from memory."""

import asyncio
import gc
from collections.abc import Callable, Collection, Iterator
from contextlib import contextmanager
from dataclasses import replace
from functools import partial
from time import monotonic
from typing import Protocol

from schemas.codec.wire import Undecodable
from streams.engine.acks.runner import Offsets, TakenEvent
from streams.engine.errors import TimerFailed
from streams.engine.life.progress import ProgressLog
from streams.engine.runners.handling import Handling
from streams.engine.runners.long_outcomes import LongOutcomes, Work
from streams.engine.runners.outcomes import OutcomeWriter
from streams.values.outcome import Event, Outcome

BATCH = 500
ROUND_S = 0.02
"""In this time each partition gets its turn; all that was decided in it is one group."""
LONG = 50
"""Outcomes of a round that others would have to wait for."""
ROWS_PER_TURN = 500


class OrderedProcessor(Protocol):
    """Decides at once, from what it keeps in memory of its partitions' tables.

    Each kind of agent has ``sizes``, too: what it holds, for the gauges.
    """

    def begin(self, partition: int) -> None:
        """Start over with an empty memory of a partition."""

    def load(self, partition: int, key: bytes, value: bytes) -> None:
        """Load one row of the partition's table into memory."""

    def released(self) -> None:
        """Drop the memory of all partitions; their lanes have been cancelled."""

    def decide(self, event: Event) -> Outcome:
        """Decide on one event, and remember what was decided."""

    def tick(self, partition: int, now: int) -> Outcome:
        """Decide by the clock (epoch ms) for a partition; only called of an agent with a timer."""


class OrderedRunner:
    """Runs an OrderedProcessor: decides in order, makes whole batches of outcomes durable at once.

    Long outcomes are decided in parts, between other events, and only what is in the same
    line waits for them: a change that a hundred thousand subscribers are notified of holds
    up no other document's.

    An outcome of the agent's ``tick`` is one more in its partition's lane: it comes after all
    that was taken before it, and takes effect in the same order as those of events.
    """

    def __init__(self, agent: OrderedProcessor, writer: OutcomeWriter, handling: Handling) -> None:
        """``writer`` gets the outcomes of the agent."""
        self._agent = agent
        self._writer = writer
        self._handling = handling
        self._queues: dict[int, asyncio.Queue[Work]] = {}
        self._tasks: list[asyncio.Task[None]] = []
        self._busy: set[int] = set()
        """Partitions that have something to decide, and share the time of a round."""
        self._timed: set[int] = set()
        """Partitions in which an outcome of the timer is waited for."""

    async def load(self, done: Offsets, ends: Offsets) -> None:
        """Build the agent's memory from its table, and start a lane for each partition."""
        self.stop()
        progress = ProgressLog("the memory is built from the table")
        for partition in done:
            # A rebalance may return a partition after its table has moved on elsewhere.
            self._agent.begin(partition)
            with _long_lived_objects():
                for count, (key, value) in enumerate(self._writer.rows(partition), 1):
                    self._agent.load(partition, key, value)
                    if count % ROWS_PER_TURN == 0:
                        progress.add(ROWS_PER_TURN)
                        await asyncio.sleep(
                            0
                        )  # the loop watch must beat, and the broker hear of us
            queue = self._queues[partition] = asyncio.Queue()
            self._tasks.append(asyncio.create_task(self._run(partition, queue)))

    def submit(self, taken: TakenEvent) -> None:
        """Put an event at the end of its partition's lane."""
        self._queues[taken.event.partition].put_nowait(taken)

    async def tick(self, partitions: Collection[int], now: int) -> Collection[int]:
        """Let the timer decide for partitions; return those in which its last outcome is durable.

        In the others it has its turn again with the next tick: nothing piles up.
        """
        ready = [partition for partition in partitions if partition not in self._timed]
        for partition in ready:
            self._tick(partition, now)
        return ready

    def _tick(self, partition: int, now: int) -> None:
        decide = partial(self._decide_tick, partition, now)
        if partition in self._busy or not self._queues[partition].empty():
            self._submit_timed(partition, decide)
            return
        # Most ticks decide nothing: then no lane need wake up.
        outcome = decide()
        if outcome != _NOTHING:
            self._submit_timed(partition, lambda: outcome)

    def _submit_timed(self, partition: int, decide: Callable[[], Outcome]) -> None:
        self._timed.add(partition)
        self._handling.acks.begin_timed()
        self._queues[partition].put_nowait(decide)

    def stop(self) -> None:
        """Cancel all lanes."""
        for task in self._tasks:
            task.cancel()
        self._tasks.clear()
        self._queues.clear()
        self._busy.clear()
        self._timed.clear()
        self._writer.stop()
        # The memory of a partition that does not come back would stay as long as the process.
        self._agent.released()

    async def _run(self, partition: int, queue: asyncio.Queue[Work]) -> None:
        lines = LongOutcomes()
        # After an error the agent's memory would be ahead of its table.
        async with self._handling.ending(f"partition {partition} could not go on"):
            while True:
                first = None
                if not lines:
                    self._busy.discard(partition)
                    first = await queue.get()
                    self._busy.add(partition)
                outcomes, done = self._round(first, queue, lines)
                if outcomes:
                    await self._writer.apply(partition, outcomes, is_long=len(outcomes) >= LONG)
                for work in done:
                    if isinstance(work, TakenEvent):
                        self._handling.acks.finish(work)
                    else:
                        self._timed.discard(partition)
                        self._handling.acks.capacity.leave(0)
                if lines:
                    # A long outcome commits nothing before its end, and may fill all capacity.
                    self._handling.acks.signal()
                await asyncio.sleep(0)  # what has no outcome waits for nothing

    def _round(
        self, first: Work | None, queue: "asyncio.Queue[Work]", lines: LongOutcomes
    ) -> tuple[list[Outcome], list[Work]]:
        """Decide on what has come, then on parts of what is long, until another's turn.

        Returns the outcomes, in order, and the work that is done.
        """
        # Deciding never waits, so without a limit one busy partition would hold the loop.
        share = ROUND_S / len(self._busy)
        begun, outcomes, done = monotonic(), list[Outcome](), list[Work]()
        work = first or _next(queue)
        while work is not None:
            outcome = self._decide(work.event) if isinstance(work, TakenEvent) else work()
            if outcome.sends or outcome.puts:
                # Not with the parts: what is decided after it must not be stored before it.
                outcomes.append(replace(outcome, rest=None))
            if outcome.rest is None:
                done.append(work)
            else:
                lines.add(outcome.line, work, outcome.rest)
            is_over = len(done) >= BATCH or monotonic() >= begun + share / 2
            work = None if is_over else _next(queue)
        for work, part in lines.decide(lambda: monotonic() >= begun + share):
            if part is None:
                done.append(work)
            elif part.sends or part.puts:
                outcomes.append(part)
        return outcomes, done

    def _decide_tick(self, partition: int, now: int) -> Outcome:
        """Return what the timer decides; raises TimerFailed, for no message is to blame."""
        if not self._handling.acks.capacity.is_open:  # the next owner's timer decides
            return _NOTHING
        try:
            outcome = self._agent.tick(partition, now)
        except Exception as error:
            raise TimerFailed(partition) from error
        if outcome.rest is None:
            return outcome
        return replace(outcome, rest=_timed_parts(partition, outcome.rest))

    def _decide(self, event: Event) -> Outcome:
        if isinstance(event.fact, Undecodable):
            return self._handling.unreadable(event, event.fact)
        try:
            outcome = self._agent.decide(event)
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


_NOTHING = Outcome()


def _next(queue: "asyncio.Queue[Work]") -> Work | None:
    return None if queue.empty() else queue.get_nowait()


def _timed_parts(partition: int, rest: Iterator[Outcome]) -> Iterator[Outcome]:
    try:
        yield from rest
    except Exception as error:
        raise TimerFailed(partition) from error


@contextmanager
def _long_lived_objects() -> Iterator[None]:
    """Exempt what is made within from collection: it is to stay, and would be visited each time."""
    gc.disable()
    try:
        yield
    finally:
        gc.freeze()
        gc.enable()
