"""Commit each offset with a note of what is in hand; Faust commits an empty text."""

import asyncio
from collections.abc import Awaitable, Callable, Mapping
from typing import Any

from aiokafka import TopicPartition
from aiokafka.structs import OffsetAndMetadata

from streams.engine.acks.flow import Flow

Offsets = Mapping[TopicPartition, OffsetAndMetadata]
Commit = Callable[[Offsets], Awaitable[Any]]


class NotedCommits:
    """Adds the notes of a flow to its commits, and knows which the broker has."""

    def __init__(self, flow: Flow) -> None:
        """Begin with no note that the broker has."""
        self._flow = flow
        self._written: dict[TopicPartition, str] = {}
        self._settled: int | None = None
        """How many events had been taken when all was done and committed."""
        # An older note must not overtake a newer one.
        self._lock = asyncio.Lock()

    def begin(self) -> None:
        """Forget what was written for the last assignment."""
        self._written.clear()
        self._settled = None

    @property
    def are_due(self) -> bool:
        """Whether there may be something to commit; to find out costs a note of each partition."""
        return self._flow.in_flight > 0 or self._flow.taken != self._settled

    def settle(self) -> None:
        """Note that the broker has all there is, until a further event is taken."""
        self._settled = None if self._flow.in_flight else self._flow.taken

    def is_news(self, partition: TopicPartition) -> bool:
        """Whether the broker lacks the note of a partition as it is now."""
        return self._written.get(partition) != self._flow.note(partition)

    async def commit(self, commit: Commit, offsets: Offsets) -> None:
        """Commit these offsets with aiokafka's ``commit``, as far as they are by then."""
        async with self._lock:
            done = {tp: at for tp, at in self._flow.committable().items() if tp in offsets}
            notes = {tp: self._flow.note(tp) for tp in done}
            await commit({tp: OffsetAndMetadata(done[tp], notes[tp]) for tp in done})
            self._written |= notes
