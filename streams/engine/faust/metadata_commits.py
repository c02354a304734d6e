"""Commit each offset with the metadata of what is in hand; Faust commits an empty text."""

import asyncio
from collections.abc import Awaitable, Callable, Container, Mapping
from typing import Any

from aiokafka import TopicPartition
from aiokafka.structs import OffsetAndMetadata

from streams.engine.acks.acknowledgements import Acknowledgements

Offsets = Mapping[TopicPartition, OffsetAndMetadata]
Commit = Callable[[Offsets], Awaitable[Any]]


class MetadataCommits:
    """Commits what is done by an agent, and knows what the broker has of it."""

    def __init__(self, acks: Acknowledgements) -> None:
        self._acks = acks
        self._written: dict[TopicPartition, OffsetAndMetadata] = {}
        self._settled: int | None = None
        """Events that had been taken when all was done and committed."""
        # Older metadata must not overtake a newer one.
        self._lock = asyncio.Lock()

    def begin(self) -> None:
        """Forget what was written for the last assignment."""
        self._written.clear()
        self._settled = None

    @property
    def are_due(self) -> bool:
        """Whether there may be something to commit; the metadata that would say so costs more."""
        capacity = self._acks.capacity
        return capacity.in_flight > 0 or capacity.entered != self._settled

    async def commit(self, commit: Commit, assigned: Container[TopicPartition]) -> None:
        """Commit with aiokafka's ``commit`` what the broker lacks of the assigned partitions."""
        async with self._lock:
            due = {
                tp: found
                for tp, at in self._acks.committable().items()
                if tp in assigned
                and (found := OffsetAndMetadata(at, self._acks.metadata(tp)))
                != self._written.get(tp)
            }
            if due:
                await commit(due)
                self._written |= due
            else:  # the broker has all there is, until a further event is taken
                capacity = self._acks.capacity
                self._settled = None if capacity.in_flight else capacity.entered
