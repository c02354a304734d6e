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
        # An older note must not overtake a newer one.
        self._lock = asyncio.Lock()

    def begin(self) -> None:
        """Forget what was written for the last assignment."""
        self._written.clear()

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
