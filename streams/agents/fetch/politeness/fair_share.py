"""A fair scheduler: who has the next turn, by the time that each manager and host has used.

The ``Turns`` of calls to the API count instead of measuring, with a limit for each manager: an
unused turn of a manager stays free for others, which here would leave slots without work.
"""

from collections.abc import Callable, Hashable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from heapq import nlargest
from itertools import count
from operator import itemgetter
from typing import Generic, NamedTuple, TypeVar

from streams.values.ranked_keys import RankedKeys

K = TypeVar("K", bound=Hashable)

NOBODY = ("",)
"""The manager of what no manager is known of."""
EXPECTED_S = 1.0
"""Seconds that a turn is taken to last until it has ended."""
_REMEMBERED = 1_000


class FairShare:
    """Fair queueing by the time used: one slow piece of work costs as many turns as it is long.

    One that comes back after a while begins level with the others, neither ahead of them nor
    in debt (start-time fair queueing: Goyal, Vin and Cheng, 1996).

    >>> share = FairShare()
    >>> share.charge("slow", 30.0)
    >>> share.next_of(["slow", "quick"])
    'quick'
    """

    def __init__(self) -> None:
        self._used: dict[str, float] = {}
        self._level = 0.0

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


@dataclass(frozen=True, slots=True)
class Turn(Generic[K]):
    """The turn of what waited under a ``key``: of a host, charged to a manager."""

    key: K
    host: str
    manager: str


class _Waiting(NamedTuple):
    rank: tuple[float, int]
    host: str
    managers: tuple[str, ...]


class FairQueue(Generic[K]):
    """Waiters for a turn: managers by the time that they have used, and within each its hosts.

    What is equal in that is served in the order in which it came. What belongs to several
    managers is served at the turn that comes first.

    >>> queue = FairQueue[int]()
    >>> for number in range(3):
    ...     queue.put(number, ["many"], host=f"hard{number}")
    >>> queue.put(3, ["one"], host="new")
    >>> [turn.host for _ in range(2) if (turn := queue.take())]
    ['hard0', 'new']
    """

    def __init__(self) -> None:
        self._managers, self._hosts = FairShare(), FairShare()
        self._lines: dict[str, RankedKeys[K]] = {}
        self._waiting: dict[K, _Waiting] = {}
        self._numbers = count()

    def __len__(self) -> int:
        """The number of keys that wait."""
        return len(self._waiting)

    def __contains__(self, key: K) -> bool:
        return key in self._waiting

    @property
    def managers(self) -> Iterable[str]:
        """The managers for whom something waits."""
        return self._lines.keys()

    def lengths(self) -> Iterator[tuple[str, int]]:
        """Return how many keys wait for each manager."""
        return ((manager, len(line)) for manager, line in self._lines.items())

    def heads(self) -> Iterator[K]:
        """Return what each manager would be served first."""
        return (key for line in self._lines.values() if (key := line.first()) is not None)

    def put(self, key: K, managers: Sequence[str], host: str = "") -> None:
        """Let a key wait; one that waits already keeps its rank, and may get other managers."""
        known = self._waiting.get(key)
        rank = known.rank if known else (self._hosts.begin(host), next(self._numbers))
        own = tuple(dict.fromkeys(managers)) or NOBODY
        waiting = self._waiting[key] = _Waiting(rank, host, own)
        for manager in waiting.managers:
            self._lines.setdefault(manager, RankedKeys()).put(key, rank)
        if known:
            self._leave(key, set(known.managers) - set(waiting.managers))

    def drop(self, key: K) -> None:
        """Let a key wait no longer, if it does."""
        waiting = self._waiting.pop(key, None)
        if waiting is not None:
            self._leave(key, waiting.managers)

    def take(self, is_fit: Callable[[K], bool] = lambda _: True) -> Turn[K] | None:
        """Remove and return what has the next turn, None if nothing waits or that is not fit."""
        if not self._lines:
            return None
        manager = self._managers.next_of(self._lines)
        key = self._lines[manager].first()
        assert key is not None, "a line without keys is removed"
        if not is_fit(key):
            return None
        turn = Turn(key, self._waiting[key].host, manager)
        self.drop(key)
        self._managers.charge(manager, EXPECTED_S)
        if manager in self._lines:  # of those that have used as much, it is the last
            self._lines[manager] = self._lines.pop(manager)
        return turn

    def turn(self, key: K, managers: Sequence[str], host: str) -> Turn[K]:
        """Return the turn of a key that comes while nothing waits."""
        turn = Turn(key, host, self._managers.next_of(managers or NOBODY))
        self._managers.charge(turn.manager, EXPECTED_S)
        return turn

    def charge(self, turn: Turn[K], seconds: float) -> None:
        """Note how long a turn took in the end."""
        self._managers.correct(turn.manager, seconds - EXPECTED_S)
        self._hosts.charge(turn.host, seconds)

    def _leave(self, key: K, managers: Iterable[str]) -> None:
        for manager in managers:
            line = self._lines[manager]
            line.drop(key)
            if not line:
                del self._lines[manager]


class Ticket(NamedTuple):
    """The key of a host that waits for a slot."""

    is_slow: bool
    number: int


class FairScheduler:
    """A fair queue for a few slots; those who are known to be slow have slots that are theirs.

    However many slow ones there are, they take none of the other slots.

    >>> scheduler = FairScheduler(slots=1, slow_slots=1)
    >>> for host in ("slow1", "slow2"):
    ...     _ = scheduler.put(host, ["many"], is_slow=True)
    >>> _ = scheduler.put("new", ["one"])
    >>> [turn.host for _ in range(3) if (turn := scheduler.take())]
    ['new', 'slow1']
    """

    def __init__(self, slots: int, slow_slots: int) -> None:
        """Offer ``slots``, and ``slow_slots`` more to those who are slow."""
        self._free = [slots, slow_slots]
        self._queues = FairQueue[Ticket](), FairQueue[Ticket]()
        self._numbers = count()

    def waiting(self, *, is_slow: bool) -> int:
        """Return how many wait of those who are slow, or of the others."""
        return len(self._queues[is_slow])

    def share(self) -> int:
        """Return how many of the quick ones wait for each free slot, rounded up."""
        return -(-len(self._queues[False]) // max(1, self._free[False]))

    def put(self, host: str, managers: Sequence[str], *, is_slow: bool = False) -> Ticket:
        """Let a host wait for a slot."""
        ticket = Ticket(is_slow, next(self._numbers))
        self._queues[is_slow].put(ticket, managers, host)
        return ticket

    def turn(self, host: str, managers: Sequence[str], *, is_slow: bool = False) -> Turn[Ticket]:
        """Return the turn of a host for which there is a slot, and before which nobody waits."""
        self._free[is_slow] -= 1
        ticket = Ticket(is_slow, next(self._numbers))
        return self._queues[is_slow].turn(ticket, managers, host)

    def has_slot(self, *, is_slow: bool) -> bool:
        """Return whether there is a slot for who comes now."""
        return self._free[is_slow] > 0 and not self._queues[is_slow]

    def drop(self, ticket: Ticket) -> None:
        """Let a host wait no longer, if it does."""
        self._queues[ticket.is_slow].drop(ticket)

    def take(self) -> Turn[Ticket] | None:
        """Return the next turn for which there is a slot, None if there is none."""
        for is_slow, queue in enumerate(self._queues):
            if self._free[is_slow] and (turn := queue.take()) is not None:
                self._free[is_slow] -= 1
                return turn
        return None

    def take_along(self, is_fit: Callable[[Ticket], bool]) -> Turn[Ticket] | None:
        """Return the next turn of the quick ones if it is fit to share the slot of another."""
        return self._queues[False].take(is_fit)

    def end(self, turn: Turn[Ticket], seconds: float) -> None:
        """Free the slot of a turn that took so long."""
        self._free[turn.key.is_slow] += 1
        self.charge(turn, seconds)

    def charge(self, turn: Turn[Ticket], seconds: float) -> None:
        """Note how long a turn took that shared the slot of another one."""
        self._queues[turn.key.is_slow].charge(turn, seconds)
