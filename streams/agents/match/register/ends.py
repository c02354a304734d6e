"""The ended registrations of a partition, the oldest forgotten first."""

from heapq import heappop, heappush

MOST = 5_000
"""The most ends of a manager: no quota counts them, and a refused request leaves one, too."""


class Ends:
    """Times and table keys of ended registrations, by manager.

    Each manager has so many at most, so a manager that subscribes and cancels all the time pushes
    out no ends of others.
    """

    def __init__(self) -> None:
        self._of: dict[str, list[tuple[int, bytes]]] = {}
        # An entry is outdated once its manager has another oldest end.
        self._oldest: list[tuple[int, str]] = []
        self._full: set[str] = set()

    def add(self, manager: str, at: int, key: bytes) -> None:
        """Add an end at a time (epoch ms)."""
        ends = self._of.setdefault(manager, [])
        heappush(ends, (at, key))
        if ends[0] == (at, key):
            heappush(self._oldest, (at, manager))
        if len(ends) > MOST:
            self._full.add(manager)

    def pop(self, before: int) -> tuple[int, bytes] | None:
        """Return the oldest end of a manager with too many, else the oldest before a time."""
        for manager in self._full:
            return self._pop(manager)
        while self._oldest and self._oldest[0][0] < before:
            at, manager = self._oldest[0]
            if manager in self._of and self._of[manager][0][0] == at:
                return self._pop(manager)
            heappop(self._oldest)
        return None

    def _pop(self, manager: str) -> tuple[int, bytes]:
        ends = self._of[manager]
        end = heappop(ends)
        if len(ends) <= MOST:
            self._full.discard(manager)
        if ends:
            heappush(self._oldest, (ends[0][0], manager))
        else:
            del self._of[manager]
        return end
