"""Percolate's memory: the subscriptions for several pages that one partition has."""

from heapq import heappop, heappush

from schemas.records.percolations import Interest, StoreQuery
from schemas.records.subscriptions import Subscription
from streams.agents.percolate.manager_terms import ManagerTerms
from streams.matching.change_words import ChangeWords
from streams.matching.index.subscription_index import IndexByReach
from streams.matching.stretches import BLOCK, reach_of
from streams.matching.terms.interests import has_any
from streams.matching.terms.notifying import DOUBT_MS
from streams.values.steps import Steps

INDEXED = 64
"""Subscriptions of one manager from which an index is faster than a look at each."""
KEPT_MS = 2 * DOUBT_MS
"""The time for which a subscription that is leaving is kept: earlier changes may come late."""


class Queries:
    """The subscriptions of one partition, by id and by manager."""

    def __init__(self) -> None:
        self._rows: dict[str, StoreQuery] = {}
        self._managers: dict[str, _ManagerQueries] = {}
        self._stated: dict[str, Interest] = {}
        self._leaving: list[tuple[int, str]] = []

    def __len__(self) -> int:
        return len(self._rows)

    def get(self, subscription: str) -> StoreQuery | None:
        """Return what is stored of a subscription, by its id."""
        return self._rows.get(subscription)

    def terms(self, manager: str) -> ManagerTerms:
        """Return the terms of a manager."""
        return self._managers.get(manager, _NONE).terms

    def put(self, query: StoreQuery) -> None:
        """Store a subscription, or replace it."""
        subscription = query.subscription
        queries = self._managers.setdefault(subscription.manager, _ManagerQueries())
        queries.put(query, self._rows.get(subscription.id))
        self._rows[subscription.id] = query
        if query.leaving:
            heappush(self._leaving, (query.since + KEPT_MS, subscription.id))

    def left(self, now: int) -> str | None:
        """Return one that is leaving and is needed no more at a time (epoch ms), by its id."""
        if not self._leaving or self._leaving[0][0] > now:
            return None
        until, subscription = heappop(self._leaving)
        query = self._rows.get(subscription)
        is_left = query is not None and query.leaving and query.since + KEPT_MS == until
        return subscription if is_left else None

    def drop(self, subscription: str) -> StoreQuery | None:
        """Forget a subscription, by its id; return it, None if there is none."""
        query = self._rows.pop(subscription, None)
        if query is not None:
            manager = query.subscription.manager
            self._managers[manager].remove(query)
            if not self._managers[manager].stored:
                del self._managers[manager]
        return query

    def concerned(self, manager: str, words: ChangeWords) -> Steps[list[Subscription]]:
        """Return the subscriptions of a manager that a change may concern."""
        queries = self._managers.get(manager)
        return [] if queries is None else (yield from queries.concerned(words))

    def interest(self, manager: str, partition: int) -> Interest:
        """Return which changes of a manager's pages this partition is to get."""
        queries = self._managers.get(manager, _NONE)
        return Interest(
            manager=manager,
            partition=partition,
            terms=queries.terms.listed,
            many=queries.terms.is_many,
            everything=queries.everything > 0,
            blocks=queries.blocks > 0,
            filter_made=queries.terms.filter_made,
        )

    def unstated(self, manager: str, partition: int) -> Interest | None:
        """Return the interest of a manager if it is another than the last time, else None.

        After a start it always is: what match knows may be from before.
        """
        found = self.interest(manager, partition)
        if self._stated.get(manager) == found:
            return None
        if has_any(found):
            self._stated[manager] = found
        else:
            self._stated.pop(manager, None)
        return found


class _ManagerQueries:
    """The subscriptions of one manager, and their terms."""

    def __init__(self) -> None:
        self.stored: dict[str, Subscription] = {}
        self.terms = ManagerTerms()
        self.everything = 0
        self.blocks = 0
        self._index: IndexByReach | None = None

    def put(self, query: StoreQuery, old: StoreQuery | None) -> None:
        # First, so that a term which the old one has, too, is not forgotten in between.
        self.terms.add(query.terms)
        if old is not None:
            self.remove(old)
        subscription = query.subscription
        self.stored[subscription.id] = subscription
        self.everything += query.everything
        self.blocks += _looks_into_blocks(subscription)
        if self._index is not None:
            self._index.add(subscription)
        elif len(self.stored) >= INDEXED:
            self._index = IndexByReach(self.stored.values())

    def remove(self, query: StoreQuery) -> None:
        subscription = self.stored.pop(query.subscription.id)
        self.terms.remove(query.terms)
        self.everything -= query.everything
        self.blocks -= _looks_into_blocks(subscription)
        if self._index is not None:
            self._index.remove(subscription)

    def concerned(self, words: ChangeWords) -> Steps[list[Subscription]]:
        if self._index is None:
            return list(self.stored.values())
        return (yield from self._index.find_steps(words))


def _looks_into_blocks(subscription: Subscription) -> bool:
    return reach_of(subscription.options.scope) == BLOCK


_NONE = _ManagerQueries()
"""Those of a manager that has none."""
