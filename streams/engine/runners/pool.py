"""Handle many events at once, one at a time per key, for agents that wait on the world."""

import asyncio
from collections import defaultdict, deque
from collections.abc import Coroutine, Sequence
from functools import partial
from itertools import chain
from typing import Protocol

from connectors.stores.errors import StoreRefused
from schemas.codec.wire import Undecodable
from streams.engine.acks.runner import Offsets, TakenEvent
from streams.engine.runners.handling import Handling
from streams.engine.runners.outcomes import OutcomeWriter
from streams.engine.runners.throttle import Throttle
from streams.values.outcome import Event, Lookup, Outcome, Owned


class PoolProcessor(Protocol):
    """Handles an event at a time per key, and many keys at once."""

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


class PoolRunner:
    """Runs a PoolProcessor."""

    def __init__(
        self, agent: PoolProcessor, writer: OutcomeWriter, handling: Handling, throttle: Throttle
    ) -> None:
        """``writer`` gets the agent's outcomes."""
        self._agent = agent
        self._writer = writer
        self._handling = handling
        self._throttle = throttle
        self._lines: defaultdict[str, deque[TakenEvent]] = defaultdict(deque)
        self._tasks: set[asyncio.Task[None]] = set()

    async def load(self, done: Offsets, ends: Offsets) -> None:
        """Let the agent load its partitions."""
        rows = self._writer.rows
        await self._agent.assigned([Owned(p, done[p], partial(rows, p), ends[p]) for p in done])

    def submit(self, taken: TakenEvent) -> None:
        """Start the event at once, or after those before it with the same key."""
        fact = taken.event.fact
        key = None if isinstance(fact, Undecodable) else self._agent.key(taken.event)
        if key is None:
            self._start(self._complete(taken))
            return
        line = self._lines[key]
        line.append(taken)
        if len(line) == 1:
            self._start(self._work_off(key))

    def stop(self) -> None:
        """Cancel all that is at work."""
        for task in self._tasks:
            task.cancel()
        # Before the agent: nothing of the old assignment may be written once it is released.
        self._lines.clear()
        self._writer.stop()
        self._agent.released()

    def _start(self, work: Coroutine[None, None, None]) -> None:
        # The set keeps the task alive: the event loop itself holds weak references only.
        task = asyncio.create_task(work)
        self._tasks.add(task)
        task.add_done_callback(self._ended)

    def _ended(self, task: "asyncio.Task[None]") -> None:
        self._tasks.discard(task)
        if not task.cancelled() and (error := task.exception()) is not None:
            self._start(self._end(error))

    async def _end(self, error: BaseException) -> None:
        async with self._handling.ending("an outcome could not be made durable"):
            raise error

    async def _work_off(self, key: str) -> None:
        line = self._lines[key]
        while line:
            await self._complete(line[0])
            line.popleft()
        del self._lines[key]

    async def _complete(self, taken: TakenEvent) -> None:
        """Handle an event, make its outcome durable, and acknowledge it: in this order."""
        begun = await self._throttle.begin()
        try:
            if not self._handling.acks.capacity.is_open:  # the next owner begins it
                self._handling.acks.capacity.leave(taken.size)
                return
            outcome = await self._outcome(taken.event)
            self._throttle.handled(begun)
            for part in chain([outcome], outcome.rest or ()):
                # Most fetches find nothing new, and need no group.
                if part.sends or part.puts:
                    await self._writer.apply(taken.event.partition, [part])
        finally:
            self._throttle.end(begun)
        self._handling.acks.finish(taken)

    async def _outcome(self, event: Event) -> Outcome:
        if isinstance(event.fact, Undecodable):
            return self._handling.unreadable(event, event.fact)
        lookup = partial(self._writer.read, event.partition)
        handle = partial(self._agent.handle, event, lookup)
        try:
            return await self._handling.retried([event], handle)
        except StoreRefused:  # a retry cannot help: the process ends
            raise
        except Exception as error:  # noqa: BLE001 - a poisonous event must not stall its partition
            return self._handling.given_up(event, error)
