"""Subscriptions with an end unless renewed."""

from heapq import heapify, heappop, heappush

SPARE = 16
"""Outdated entries not worth a sweep."""


class Leases:
    """When each subscription with a lease ends, by its table key.

    >>> leases = Leases()
    >>> leases.put(b"key", 5_000)
    >>> leases.ended(5_000)
    b'key'
    """

    def __init__(self) -> None:
        self._ends: dict[bytes, int] = {}
        self._looks: dict[bytes, int] = {}
        """When each key is looked at next: at the end of its lease or before."""
        # Entries that differ from these are outdated; a renewal adds none.
        self._queue: list[tuple[int, bytes]] = []

    def put(self, key: bytes, end: int | None) -> None:
        """Set when a lease ends (epoch ms); None if there is none any more."""
        if end is None:
            self._ends.pop(key, None)
            self._looks.pop(key, None)
            return
        self._ends[key] = end
        if end < self._looks.get(key, end + 1):
            self._look(key, end)

    def ended(self, now: int) -> bytes | None:
        """Return a key with a lease ended before or at ``now`` (epoch ms).

        The key is the same until its lease is renewed or removed.
        """
        while self._queue and self._queue[0][0] <= now:
            look, key = self._queue[0]
            if self._looks.get(key) == look and self._ends[key] <= now:
                return key
            heappop(self._queue)
            if self._looks.get(key) == look:
                self._look(key, self._ends[key])
        return None

    def _look(self, key: bytes, look: int) -> None:
        self._looks[key] = look
        heappush(self._queue, (look, key))
        if len(self._queue) > 2 * len(self._looks) + SPARE:
            self._queue = [(each, name) for name, each in self._looks.items()]
            heapify(self._queue)
