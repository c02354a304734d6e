"""The managers that have a document fetched, as its watch names them."""

from bisect import bisect_left, insort
from collections.abc import Collection
from functools import lru_cache

from streams.values.ids import content_id

MAX_NAMED = 4
"""Managers that a watch names: enough for a fair turn, few enough for 300 in one command."""
_DIGITS = 8


@lru_cache(maxsize=1024)
def manager_hash(manager: str) -> str:
    """Return the short hash by which a watch names a manager.

    >>> manager_hash("default")
    '6a18c0a3'
    """
    return content_id(manager)[:_DIGITS]


class ManagerCounts:
    """The managers of a document's subscriptions, each counted once per subscription."""

    __slots__ = ("_counts", "_hashes")

    def __init__(self) -> None:
        """Start empty."""
        self._counts: dict[str, int] = {}
        self._hashes: list[str] = []

    @property
    def few(self) -> tuple[str, ...]:
        """The hashes of MAX_NAMED managers; the same ones in whichever order they came."""
        return tuple(self._hashes[:MAX_NAMED])

    @property
    def all(self) -> Collection[str]:
        """All managers."""
        return self._counts.keys()

    def add(self, manager: str) -> None:
        """Count a subscription of a manager."""
        count = self._counts[manager] = self._counts.get(manager, 0) + 1
        if count == 1:
            insort(self._hashes, manager_hash(manager))

    def remove(self, manager: str) -> None:
        """Count one subscription of a manager less."""
        self._counts[manager] -= 1
        if not self._counts[manager]:
            del self._counts[manager]
            del self._hashes[bisect_left(self._hashes, manager_hash(manager))]
