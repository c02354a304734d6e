"""Keys in the order of their ranks, such as the times at which each is due."""

from collections.abc import Hashable
from heapq import heapify, heappop, heappush
from typing import Any, Generic, TypeVar

K = TypeVar("K", bound=Hashable)

FEW = 64
"""Entries of removed keys that are not worth a sweep."""


class RankedKeys(Generic[K]):
    """Keys in the order of their ranks, each of which may be removed at any time.

    >>> keys = RankedKeys[str]()
    >>> for key, rank in (("b", 2), ("c", 3), ("a", 1)):
    ...     keys.put(key, (rank,))
    >>> keys.drop("a")
    >>> keys.first(), keys.first(most=(1,))
    ('b', None)
    """

    def __init__(self) -> None:
        self._ranks: dict[K, tuple[Any, ...]] = {}
        self._heap: list[tuple[tuple[Any, ...], K]] = []

    def __len__(self) -> int:
        return len(self._ranks)

    def __getitem__(self, key: K) -> tuple[Any, ...]:
        return self._ranks[key]

    def put(self, key: K, rank: tuple[Any, ...]) -> None:
        """Add a key, or give it another rank."""
        if self._ranks.get(key) == rank:
            return
        self._ranks[key] = rank
        heappush(self._heap, (rank, key))
        # A key that was removed, or has another rank, leaves an entry.
        if len(self._heap) > 2 * len(self._ranks) + FEW:
            self._heap = [(rank, key) for key, rank in self._ranks.items()]
            heapify(self._heap)

    def drop(self, key: K) -> None:
        """Remove a key, if it is there."""
        self._ranks.pop(key, None)

    def first(self, most: tuple[Any, ...] | None = None) -> K | None:
        """Return the key of the lowest rank, None if there is none, or none of ``most`` at most."""
        while self._heap:
            rank, key = self._heap[0]
            if self._ranks.get(key) == rank:
                return key if most is None or rank <= most else None
            heappop(self._heap)
        return None
