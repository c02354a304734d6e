"""The views that the subscriptions of one URL have."""

from collections import Counter, defaultdict

from schemas.facts import Subscription, WatchedView
from streams.core.views import watched_view

MAX_OWN = 16
"""Views of one URL that a manager may have."""
MAX_IN_ALL = 256
"""Views of one URL; every fact about it lists them, and has to fit a message."""


class ViewUses:
    """The views, and how many subscriptions of each manager have each of them."""

    __slots__ = ("_managers", "_uses", "_views")

    def __init__(self) -> None:
        """Start without any."""
        self._views: dict[str, WatchedView] = {}
        self._uses: Counter[str] = Counter()
        self._managers: defaultdict[str, Counter[str]] = defaultdict(Counter)

    def in_use(self) -> tuple[WatchedView, ...]:
        """Return the views that there are, the default one first."""
        return tuple(self._views[view] for view in sorted(self._views))

    def has_room(self, manager: str, view: str, instead_of: Subscription | None) -> bool:
        """Return whether a manager may use a view for a new subscription, or one it replaces."""
        own = self._managers.get(manager, Counter())
        kept = {name for name in own if not _is_freed(own, name, instead_of)}
        return len(kept | {view}) <= MAX_OWN and (
            view in self._views or len(self._views) < MAX_IN_ALL
        )

    def add(self, subscription: Subscription) -> None:
        """Count a subscription."""
        view = subscription.view
        if not self._uses[view]:
            self._views[view] = watched_view(subscription.options)
        self._uses[view] += 1
        self._managers[subscription.manager][view] += 1

    def remove(self, subscription: Subscription) -> None:
        """Count a subscription no longer."""
        view, manager = subscription.view, subscription.manager
        _decrement(self._uses, view)
        if view not in self._uses:
            del self._views[view]
        _decrement(self._managers[manager], view)
        if not self._managers[manager]:
            del self._managers[manager]


def _is_freed(own: Counter[str], view: str, ended: Subscription | None) -> bool:
    return ended is not None and ended.view == view and own[view] == 1


def _decrement(counter: Counter[str], key: str) -> None:
    counter[key] -= 1
    if not counter[key]:
        del counter[key]
