"""Values that come and go, and the smallest of them."""

from heapq import heapify, heappop, heappush


class Smallest:
    """A collection of numbers that knows the smallest without looking at all of them.

    >>> intervals = Smallest()
    >>> for seconds in (600, 60, 60):
    ...     intervals.add(seconds)
    >>> intervals.remove(60)
    >>> intervals.value
    60
    """

    __slots__ = ("_counts", "_heap")

    def __init__(self) -> None:
        """Start empty."""
        self._counts: dict[int, int] = {}  # a Counter is slower to begin, and there are many
        # Removed values stay here until they come to the top.
        self._heap: list[int] = []

    @property
    def value(self) -> int | None:
        """The smallest value, None if there is none."""
        while self._heap and self._heap[0] not in self._counts:
            heappop(self._heap)
        return self._heap[0] if self._heap else None

    def add(self, value: int) -> None:
        """Add a value, once more if it is there."""
        count = self._counts[value] = self._counts.get(value, 0) + 1
        if count == 1:
            heappush(self._heap, value)
            if len(self._heap) > 2 * len(self._counts) + 8:
                self._heap = list(self._counts)
                heapify(self._heap)

    def remove(self, value: int) -> None:
        """Remove a value that is there, once."""
        self._counts[value] -= 1
        if not self._counts[value]:
            del self._counts[value]
