"""The next offsets of each agent in a topic, after the copies of waiting messages."""

from collections.abc import Iterable, Mapping

Offsets = tuple[int, ...]
"""By partition."""


class CopyPositions:
    """Finds the first message for each agent among the copies in each partition.

    A foreign message between two copies must be read, too.

    Example:
        >>> found = CopyPositions({"match": (7,)}, ends=(20, 0))
        >>> found.note((0, 6), [(0, 20), (1, 0)])  # match has read that one
        >>> found.note((0, 7), [(1, 1)])
        >>> found.begins()
        {'match': (21, 1)}
    """

    def __init__(self, committed: Mapping[str, Offsets], ends: Offsets) -> None:
        """``committed`` is by agent, for the former partitions; copies come after ``ends``."""
        self._committed = committed
        self._next = list(ends)
        self._gaps: dict[int, int] = {}
        self._first: dict[str, dict[int, int]] = {agent: {} for agent in committed}

    def note(self, origin: tuple[int, int], copies: Iterable[tuple[int, int]]) -> None:
        """Note the copies of a message; all are (partition, offset), in the order of the copies."""
        former, read = origin
        for partition, offset in copies:
            if offset != self._next[partition]:
                self._gaps.setdefault(partition, self._next[partition])
            self._next[partition] = offset + 1
            for agent, first in self._first.items():
                committed = self._committed[agent]
                if former >= len(committed) or read >= committed[former]:
                    first.setdefault(partition, offset)

    def begins(self) -> dict[str, Offsets]:
        """Return where each agent begins in each partition."""
        return {
            agent: tuple(
                min(first.get(each, after), self._gaps.get(each, after))
                for each, after in enumerate(self._next)
            )
            for agent, first in self._first.items()
        }
