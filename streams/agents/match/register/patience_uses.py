"""How long the subscriptions of one URL wait for a change to stand."""

from collections import Counter, defaultdict

from schemas.records.subscriptions import Options, Subscription
from streams.agents.match.patience.lengths import Patience, patience_of

MAX_PATIENCES = 4
"""Patiences that a manager may have at one URL."""
MAX_ROWS = 256
"""Patiences of all views of one URL: for each of them, what waits is a row."""


class PatienceUses:
    """The patiences that there are, by view and by manager."""

    __slots__ = ("_documents", "_managers", "_views")

    def __init__(self) -> None:
        """Start without any."""
        self._views: defaultdict[str, Counter[Patience]] = defaultdict(Counter)
        self._managers: defaultdict[str, Counter[Patience]] = defaultdict(Counter)
        self._documents: defaultdict[str, Counter[Patience]] = defaultdict(Counter)
        """By view, of subscriptions that look for their keywords in the whole document."""

    def of_view(self, view: str) -> tuple[Patience, ...]:
        """Return the patiences that subscriptions of a view have, the shortest first."""
        return tuple(sorted(self._views.get(view, ())))

    def wants_texts(self, view: str, patience: Patience) -> bool:
        """Return whether a subscription of a view that waits so long looks at whole documents."""
        return patience in self._documents.get(view, ())

    def longest(self, view: str) -> Patience:
        """Return the most seconds, and the most visits, that a subscription of a view waits for."""
        found = self.of_view(view)
        seconds = max((each.seconds for each in found), default=0)
        return Patience(seconds, max((each.visits for each in found), default=0))

    def has_room(
        self, manager: str, view: str, options: Options, instead_of: Subscription | None
    ) -> bool:
        """Return whether a manager may have the patience of a new subscription, or one replaced."""
        wanted = patience_of(options)
        if wanted is None:
            return True
        if wanted not in self._views.get(view, ()) and self._rows() >= MAX_ROWS:
            return False
        own = Counter(self._managers.get(manager, ()))
        if instead_of is not None:
            own[patience_of(instead_of.options) or Patience()] -= 1
        return len({wanted, *+own}) <= MAX_PATIENCES

    def _rows(self) -> int:
        return sum(map(len, self._views.values()))

    def add(self, subscription: Subscription) -> None:
        """Count a subscription."""
        self._count(subscription, 1)

    def remove(self, subscription: Subscription) -> None:
        """Count a subscription no longer."""
        self._count(subscription, -1)

    def _count(self, subscription: Subscription, number: int) -> None:
        patience = patience_of(subscription.options)
        if patience is None:
            return
        view = subscription.view_id
        uses = [(self._views, view), (self._managers, subscription.manager)]
        if subscription.options.scope == "document":
            uses.append((self._documents, view))
        for counters, name in uses:
            counters[name][patience] += number
            if not counters[name][patience]:
                del counters[name][patience]
            if not counters[name]:
                del counters[name]
