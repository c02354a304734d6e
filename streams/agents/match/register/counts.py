"""Numbers, managers and patiences of the subscriptions of a URL, counted.

With thousands of them, no request may look at each.
"""

from bisect import bisect_left, insort
from collections import Counter, defaultdict
from functools import lru_cache
from heapq import heapify, heappop, heappush

from schemas.records.subscriptions import Options, Subscription
from streams.agents.match.patience.memory import Patience, patience_of
from streams.values.ids import content_id

MAX_NAMED = 4
"""Managers named by a watch: enough for a fair turn, few enough for 300 in a command."""
_DIGITS = 8
MAX_PATIENCES = 4
"""The most patiences of a manager at a URL."""
MAX_ROWS = 256
"""The most patiences of all views of a URL: each has a row."""


class Smallest:
    """A collection of numbers with a quick minimum.

    >>> intervals = Smallest()
    >>> for seconds in (600, 60, 60):
    ...     intervals.count(seconds, 1)
    >>> intervals.count(60, -1)
    >>> intervals.value
    60
    """

    __slots__ = ("_counts", "_heap")

    def __init__(self) -> None:
        self._counts: dict[int, int] = {}  # a Counter is slower to begin, and there are many
        # Removed values stay here until they come to the top.
        self._heap: list[int] = []

    @property
    def value(self) -> int | None:
        """The smallest value, None if there is none."""
        while self._heap and self._heap[0] not in self._counts:
            heappop(self._heap)
        return self._heap[0] if self._heap else None

    def count(self, value: int, by: int) -> None:
        """Count a value once more (``by`` 1), or once less (-1)."""
        count = self._counts[value] = self._counts.get(value, 0) + by
        assert count >= 0, "only what is there is counted less"
        if not count:
            del self._counts[value]
        elif by == count:
            heappush(self._heap, value)
            if len(self._heap) > 2 * len(self._counts) + 8:
                self._heap = list(self._counts)
                heapify(self._heap)


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
        self._counts: dict[str, int] = {}
        self._hashes: list[str] = []

    @property
    def few(self) -> tuple[str, ...]:
        """The hashes of MAX_NAMED managers; the same ones in whichever order they came."""
        return tuple(self._hashes[:MAX_NAMED])

    def count(self, manager: str, by: int) -> None:
        """Count a subscription of a manager up (``by`` 1) or down (-1)."""
        count = self._counts[manager] = self._counts.get(manager, 0) + by
        assert count >= 0, "only what is there is counted less"
        if not count:
            del self._counts[manager]
            del self._hashes[bisect_left(self._hashes, manager_hash(manager))]
        elif by == count:
            insort(self._hashes, manager_hash(manager))


class PatienceUses:
    """The present patiences, by view and by manager."""

    __slots__ = ("_documents", "_managers", "_views")

    def __init__(self) -> None:
        self._views: defaultdict[str, Counter[Patience]] = defaultdict(Counter)
        self._managers: defaultdict[str, Counter[Patience]] = defaultdict(Counter)
        self._documents: defaultdict[str, Counter[Patience]] = defaultdict(Counter)
        """By view, of subscriptions with keywords for the whole document."""

    def of_view(self, view: str) -> tuple[Patience, ...]:
        """Return the patiences of the subscriptions of a view, the shortest first."""
        return tuple(sorted(self._views.get(view, ())))

    def wants_texts(self, view: str, patience: Patience) -> bool:
        """Return whether a subscription of a view with this patience examines whole documents."""
        return patience in self._documents.get(view, ())

    def longest(self, view: str) -> Patience:
        """Return the most seconds, and the most visits, of the patiences of a view."""
        found = self._views.get(view, ())
        seconds = max((each.seconds for each in found), default=0)
        return Patience(seconds, max((each.visits for each in found), default=0))

    def has_room(
        self, manager: str, view: str, options: Options, instead_of: Subscription | None
    ) -> bool:
        """Return whether a manager may have the patience of a new or replaced subscription."""
        wanted = patience_of(options)
        if wanted is None:
            return True
        rows = sum(map(len, self._views.values()))
        if wanted not in self._views.get(view, ()) and rows >= MAX_ROWS:
            return False
        own = Counter(self._managers.get(manager, ()))
        if instead_of is not None:
            own[patience_of(instead_of.options) or Patience()] -= 1
        return len({wanted, *+own}) <= MAX_PATIENCES

    def count(self, subscription: Subscription, by: int) -> None:
        """Count a subscription (``by`` 1), or no longer (-1)."""
        patience = patience_of(subscription.options)
        if patience is None:
            return
        view = subscription.view_id
        uses = [(self._views, view), (self._managers, subscription.manager)]
        if subscription.options.scope == "document":
            uses.append((self._documents, view))
        for counters, name in uses:
            counters[name][patience] += by
            if not counters[name][patience]:
                del counters[name][patience]
            if not counters[name]:
                del counters[name]
