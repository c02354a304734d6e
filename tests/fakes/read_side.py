"""The read side in memory."""

import asyncio
from collections.abc import Callable, Sequence

from schemas.records.facts import Fact
from streams.agents.record import ChangeTerms


class MemoryReadSide:
    """Keeps what is recorded; raises the errors that it was made with, one per call."""

    def __init__(self, *errors: OSError) -> None:
        self.calls: list[list[Fact]] = []
        self.pruned: list[tuple[int, int]] = []
        self.errors = list(errors)
        self.done = asyncio.Event()

    async def record(
        self, facts: Sequence[Fact], signal: Callable[[], object], terms: ChangeTerms
    ) -> None:
        self._fail()
        self.calls.append(list(facts))
        signal()

    async def prune(self, facts_before: int, snapshots_before: int) -> None:
        self._fail()
        self.pruned.append((facts_before, snapshots_before))
        self.done.set()

    def _fail(self) -> None:
        if self.errors:
            raise self.errors.pop(0)
