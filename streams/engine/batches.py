"""Outcomes of many events at once, made durable in the order in which they were reached."""

import asyncio
from collections import defaultdict
from collections.abc import Callable, Coroutine

from streams.core.outcome import Outcome
from streams.engine.effects import Effects


class Batches:
    """One batch at a time per partition, of all outcomes that came during the last one.

    Two writers of one partition could leave a row undone locally whose
    changelog offset counts as done, or write two versions of a row in the
    wrong order.
    """

    def __init__(
        self, effects: Effects, start: Callable[[Coroutine[None, None, None]], None]
    ) -> None:
        """``start`` runs work; an error in it must end the process."""
        self._effects = effects
        self._start = start
        self._waiting: defaultdict[int, list[tuple[Outcome, asyncio.Future[None]]]] = defaultdict(
            list
        )
        self._busy: set[int] = set()

    async def apply(self, partition: int, outcome: Outcome) -> None:
        """Return when the outcome, and all before it, are durable."""
        done: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        self._waiting[partition].append((outcome, done))
        if partition not in self._busy:
            self._busy.add(partition)
            self._start(self._write(partition))
        await done

    def clear(self) -> None:
        """Forget what waits; its events and the writers have been cancelled."""
        self._waiting.clear()
        self._busy.clear()

    async def _write(self, partition: int) -> None:
        while batch := self._waiting.pop(partition, None):
            await self._effects.apply(partition, [outcome for outcome, _ in batch])
            for _, done in batch:
                if not done.done():
                    done.set_result(None)
        self._busy.discard(partition)
