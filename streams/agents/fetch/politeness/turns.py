"""Turns for many who wait for one thing: the next is the one that has used the least of it."""

from collections.abc import Iterable
from heapq import nlargest
from operator import itemgetter

_REMEMBERED = 1_000


class FairTurns:
    """Fair queueing by the time used: one slow piece of work costs as many turns as it is long.

    One that comes back after a while begins level with the others, neither ahead of them nor
    in debt (start-time fair queueing: Goyal, Vin and Cheng, 1996).

    >>> turns = FairTurns()
    >>> turns.charge("slow", 30.0)
    >>> turns.next_of(["slow", "quick"])
    'quick'
    """

    def __init__(self) -> None:
        """Start with nothing used."""
        self._used: dict[str, float] = {}
        self._level = 0.0

    def __len__(self) -> int:
        """The number of those that are remembered."""
        return len(self._used)

    def next_of(self, waiting: Iterable[str]) -> str:
        """Return who of those that wait has used least, the first of several."""
        return min(waiting, key=self.begin)

    def charge(self, who: str, seconds: float) -> None:
        """Note that someone has had a turn that took so long."""
        self._level = begin = self.begin(who)
        self._used[who] = begin + seconds
        if len(self._used) > _REMEMBERED:
            # Those that are forgotten begin level with the others: they owed least.
            self._used = dict(nlargest(_REMEMBERED // 2, self._used.items(), key=itemgetter(1)))

    def correct(self, who: str, seconds: float) -> None:
        """Note that the last turn of someone took so much longer than was charged."""
        if who in self._used:
            self._used[who] += seconds

    def begin(self, who: str) -> float:
        """Return what someone has used, at least as much as the one that had the last turn."""
        return max(self._used.get(who, 0.0), self._level)
