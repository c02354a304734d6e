"""The runner, which handles the events of an agent, and its input."""

from collections import defaultdict
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Protocol

from aiokafka import TopicPartition

from streams.engine.acks.ledger import Ledger
from streams.values.outcome import Event

Offsets = Mapping[int, Mapping[str, int]]
"""Per partition and input topic (without prefix)."""


@dataclass(frozen=True, slots=True)
class TakenEvent:
    """An event in flight and the ledger that waits for it."""

    event: Event
    ledger: Ledger

    @property
    def size(self) -> int:
        """The bytes of the event."""
        return len(self.event.value or b"")


class Runner(Protocol):
    """Handles events; decides on order and concurrency."""

    async def load(self, done: Offsets, ends: Offsets) -> None:
        """Build what the agent keeps in memory of these partitions.

        All before the offsets ``done`` is done; ``ends`` are those of the next messages to come.
        """

    def submit(self, taken: TakenEvent) -> None:
        """Accept an event, and call ``Acknowledgements.finish`` once its outcome is durable."""

    def stop(self) -> None:
        """Cancel what is still at work."""


def by_partition(
    offsets: Mapping[TopicPartition, int], topic: Callable[[TopicPartition], str]
) -> Offsets:
    """Return offsets per partition and topic; ``topic`` returns the name of an input's topic."""
    found: defaultdict[int, dict[str, int]] = defaultdict(dict)
    for tp in sorted(offsets, key=lambda tp: tp.partition):
        found[tp.partition][topic(tp)] = offsets[tp]
    return found
