"""Hosts that wait for one of a few places, and which of them is next."""

from collections import OrderedDict
from collections.abc import Sequence
from dataclasses import dataclass
from heapq import heappop, heappush

from streams.agents.fetch.politeness.turns import FairTurns

NOBODY = ("",)
"""The manager of hosts that no manager is known of."""
EXPECTED_S = 1.0
"""Seconds that a turn is taken to last until it has ended."""


@dataclass(frozen=True, slots=True)
class Turn:
    """The turn of what waits under a ``number``: of a host, charged to a manager."""

    number: int
    host: str
    manager: str


class FairLine:
    """Each manager has its turn by the time that it has used, and within it each host.

    A host of several managers is served at whichever's turn comes first.

    >>> line = FairLine()
    >>> for host in ("hard1", "hard2", "hard3"):
    ...     number = line.put(host, ["many"])
    >>> number = line.put("new", ["one"])
    >>> [turn.host for _ in range(2) if (turn := line.take())]
    ['hard1', 'new']
    """

    def __init__(self) -> None:
        """Start empty."""
        self._managers = FairTurns()
        self._hosts = FairTurns()
        self._lines: OrderedDict[str, list[tuple[float, int, str]]] = OrderedDict()
        self._waiting: set[int] = set()
        self._number = 0

    def __len__(self) -> int:
        """The number of hosts that wait."""
        return len(self._waiting)

    def put(self, host: str, managers: Sequence[str]) -> int:
        """Let a host wait, and return the number under which it does."""
        self._number += 1
        self._waiting.add(self._number)
        entry = self._hosts.begin(host), self._number, host
        for manager in managers or NOBODY:
            heappush(self._lines.setdefault(manager, []), entry)
        return self._number

    def remove(self, number: int) -> None:
        """Let what waits under a number wait no longer."""
        self._waiting.discard(number)

    def take(self) -> Turn | None:
        """Remove and return the next host in turn, None if none waits."""
        while self._waiting:
            manager = self._managers.next_of(self._lines)
            turn = self._pop(manager)
            if turn.number in self._waiting:
                self._waiting.discard(turn.number)
                self._managers.charge(manager, EXPECTED_S)
                return turn
        self._lines.clear()
        return None

    def charge(self, turn: Turn, seconds: float) -> None:
        """Note how long a turn took in the end."""
        self._managers.correct(turn.manager, seconds - EXPECTED_S)
        self._hosts.charge(turn.host, seconds)

    def _pop(self, manager: str) -> Turn:
        """Remove the first entry of a manager, which may not wait any more."""
        line = self._lines[manager]
        _, number, host = heappop(line)
        if not line:
            del self._lines[manager]
        return Turn(number, host, manager)
