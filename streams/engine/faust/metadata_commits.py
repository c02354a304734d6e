"""Commit each offset with the metadata of what is in hand; Faust commits an empty text."""

import asyncio
from collections.abc import Awaitable, Callable, Mapping
from typing import Any

from aiokafka import TopicPartition
from aiokafka.structs import OffsetAndMetadata

from streams.engine.acks.acknowledgements import Acknowledgements

Offsets = Mapping[TopicPartition, OffsetAndMetadata]
Commit = Callable[[Offsets], Awaitable[Any]]


class MetadataCommits:
    """Adds metadata to the commits of an agent, and knows which the broker has."""

    def __init__(self, acks: Acknowledgements) -> None:
        """Begin with no metadata that the broker has."""
        self._acks = acks
        self._written: dict[TopicPartition, str] = {}
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

    def settle(self) -> None:
        """Remember that the broker has all there is, until a further event is taken."""
        capacity = self._acks.capacity
        self._settled = None if capacity.in_flight else capacity.entered

    def is_news(self, partition: TopicPartition) -> bool:
        """Whether the broker lacks the metadata of a partition as it is now."""
        return self._written.get(partition) != self._acks.metadata(partition)

    async def commit(self, commit: Commit, offsets: Offsets) -> None:
        """Commit these offsets with aiokafka's ``commit``, as far as they are by then."""
        async with self._lock:
            done = {tp: at for tp, at in self._acks.committable().items() if tp in offsets}
            metadata = {tp: self._acks.metadata(tp) for tp in done}
            await commit({tp: OffsetAndMetadata(done[tp], metadata[tp]) for tp in done})
            self._written |= metadata
