"""Which offsets of a partition are taken and which are done, in order."""

from collections import deque


class Ledger:
    """One partition's events in flight; ``position`` is the next offset to commit.

    It only moves past an offset when all before it are done, whatever order
    they finish in.
    """

    def __init__(self, position: int | None = None) -> None:
        """Start at a committed ``position``, or None where nothing was committed."""
        self.begin = position or 0
        self.position = position
        self.expected = position
        self._open: deque[int] = deque()
        self._done: set[int] = set()

    def take(self, offset: int) -> bool:
        """Note an offset as in flight; False if it had been taken before."""
        if self.is_behind(offset):
            return False
        self.expected = offset + 1
        self._open.append(offset)
        return True

    def is_behind(self, offset: int) -> bool:
        """Whether an offset had been taken before."""
        return self.expected is not None and offset < self.expected

    def is_beyond(self, offset: int) -> bool:
        """Whether there is a hole before an offset."""
        return self.expected is not None and offset > self.expected

    def is_done(self, offset: int) -> bool:
        """Whether an offset and all before it are done."""
        return self.position is not None and offset < self.position

    def done(self, offset: int) -> None:
        """Note an offset as done and move the position as far as order allows."""
        self._done.add(offset)
        while self._open and self._open[0] in self._done:
            first = self._open.popleft()
            self._done.remove(first)
            self.position = first + 1
