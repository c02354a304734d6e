"""Slots: the streams of live notifications served at a time by a process."""

from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager

MAX_STREAMS = 100
"""Streams of a process at a time: with a reverse proxy all share an address, which needs
connections for requests, too."""
MAX_STREAMS_PER_MANAGER = 20


class TooManyStreams(Exception):
    """There is no slot for another stream; the text says why."""


class StreamSlots:
    """Counts the streams of each manager; REST and the page share them."""

    def __init__(self) -> None:
        """Start without any."""
        self._taken: Counter[str] = Counter()

    @contextmanager
    def slot(self, manager: str) -> Iterator[None]:
        """Hold a slot while a stream is served. Raises TooManyStreams."""
        if self._taken[manager] >= MAX_STREAMS_PER_MANAGER:
            raise TooManyStreams(f"This manager already has {MAX_STREAMS_PER_MANAGER} streams.")
        if self._taken.total() >= MAX_STREAMS:
            raise TooManyStreams(f"This process already serves {MAX_STREAMS} streams.")
        self._taken[manager] += 1
        try:
            yield
        finally:
            self._taken[manager] -= 1
            if not self._taken[manager]:
                del self._taken[manager]
