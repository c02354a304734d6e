"""Remember the offsets of a partition that are taken, and those that are done, in order."""

from collections import deque
from collections.abc import Iterator


class Ledger:
    """One partition's events in flight; ``position`` is the next offset to commit.

    It only moves past an offset when all before it are done, whatever order they finish in.

    Example:
        >>> ledger = Ledger(position=7)
        >>> ledger.take(7), ledger.take(8)
        (True, True)
        >>> ledger.done(8); ledger.position
        7
        >>> ledger.done(7); ledger.position
        9
    """

    def __init__(self, position: int | None = None) -> None:
        """Start at a committed ``position``, or None if nothing was committed."""
        self.begin = position or 0
        self.position = position
        self.expected = position
        self._open: deque[int] = deque()
        self._done: set[int] = set()

    def take(self, offset: int) -> bool:
        """Note an offset as in flight; False if it was taken before."""
        if self.expected is not None and offset < self.expected:
            return False
        self.expected = offset + 1
        # Offsets are taken in order, so the first of these is what the position waits for.
        self._open.append(offset)
        return True

    def is_beyond(self, offset: int) -> bool:
        """Whether offsets are missing between the last one taken and this one."""
        return self.expected is not None and offset > self.expected

    def is_done(self, offset: int) -> bool:
        """Whether an offset and all before it are done."""
        return self.position is not None and offset < self.position

    def in_hand(self) -> Iterator[int]:
        """Iterate over what is taken and not done, from the first on."""
        return (offset for offset in self._open if offset not in self._done)

    def done(self, offset: int) -> None:
        """Note an offset as done, and move the position as far as order allows."""
        self._done.add(offset)
        while self._open and self._open[0] in self._done:
            first = self._open.popleft()
            self._done.remove(first)
            self.position = first + 1
