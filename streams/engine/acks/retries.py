"""Which events in flight are retried, because store or broker failed them."""

from collections.abc import Iterable

from streams.values.outcome import Event

EventKey = tuple[str, int, int]
"""An event's topic (without prefix), partition and offset."""


class Retries:
    """The events of an assignment that are retried: no end of the process is their fault."""

    def __init__(self) -> None:
        """Begin with none."""
        self._retried: set[EventKey] = set()

    def __len__(self) -> int:
        """How many events are retried."""
        return len(self._retried)

    def begin(self, events: Iterable[Event]) -> None:
        """Note that events are retried."""
        self._retried.update(map(_key, events))

    def end(self, events: Iterable[Event]) -> None:
        """Note that events are retried no more."""
        self._retried.difference_update(map(_key, events))

    def clear(self) -> None:
        """Forget the events of an assignment that has ended."""
        self._retried.clear()

    def has(self, event: Event) -> bool:
        """Whether an event is retried."""
        return _key(event) in self._retried

    def others(self, topic: str, partition: int, offsets: Iterable[int]) -> Iterable[int]:
        """Return the offsets of a partition that are not retried."""
        return (each for each in offsets if (topic, partition, each) not in self._retried)


def _key(event: Event) -> EventKey:
    return event.topic, event.partition, event.offset
