"""The ended registrations of a partition, the oldest forgotten first."""

from streams.values.ranked_keys import RankedKeys

MOST = 5_000
"""The most ends of a manager: no quota counts them, and a refused request leaves one, too."""


class Ends:
    """Table keys of ended registrations, by manager.

    Each manager has so many at most, so a manager that subscribes and cancels all the time pushes
    out no ends of others.
    """

    def __init__(self) -> None:
        self._of: dict[str, RankedKeys[bytes]] = {}
        # By the oldest end of each, but first those with too many.
        self._managers = RankedKeys[str]()

    def put(self, manager: str, key: bytes, at: int) -> None:
        """Add an end at a time (epoch ms)."""
        self._of.setdefault(manager, RankedKeys()).put(key, (at,))
        self._rank(manager)

    def drop(self, manager: str, key: bytes) -> None:
        """Remove an end, if it is there."""
        if manager in self._of:
            self._of[manager].drop(key)
            self._rank(manager)

    def due(self, before: int) -> bytes | None:
        """Return the oldest end of a manager with too many, else the oldest before a time."""
        manager = self._managers.first(most=(True, before - 1))
        return None if manager is None else self._of[manager].first()

    def _rank(self, manager: str) -> None:
        ends = self._of[manager]
        oldest = ends.first()
        if oldest is None:
            del self._of[manager]
            self._managers.drop(manager)
        else:
            self._managers.put(manager, (len(ends) <= MOST, *ends[oldest]))
