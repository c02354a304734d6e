"""The views that the subscriptions of one URL have."""

from collections import Counter, defaultdict
from collections.abc import Mapping
from dataclasses import replace

from schemas.records.page_requests import PageRequest
from schemas.records.subscriptions import Options, Subscription
from schemas.records.views import WatchedView
from streams.agents.match.patience.lengths import Patience
from streams.agents.match.register.managers import ManagerCounts
from streams.agents.match.register.min_counter import Smallest
from streams.agents.match.register.patience_uses import PatienceUses
from streams.values.views import view_size, watched_view

MAX_OWN = 64
"""Views of one URL that a manager may have."""
MAX_IN_ALL = 256
"""Views of one URL; every fact about it lists them, and has to fit a message."""

MAX_SIZE = 500_000
"""Bytes of all views of one URL, for the same reason."""


class ViewUse:
    """The subscriptions of one view: what they say about its failures, and where they look."""

    __slots__ = (
        "_by_default",
        "_documents",
        "_limits",
        "_links",
        "_managers",
        "_notices",
        "_view",
        "count",
        "size",
    )

    def __init__(self, view: WatchedView) -> None:
        """Start without any; of ``view``, id and view count."""
        self.count = 0
        self.size = view_size(view.view)
        """Bytes of the view."""
        self._view = view
        self._limits = Smallest()
        # The latest time first.
        self._links = Smallest()
        self._by_default = 0
        self._notices = Counter[int]()
        self._documents = 0
        self._managers = ManagerCounts()

    def add(self, subscription: Subscription) -> None:
        """Count a subscription."""
        options = subscription.options
        if options.max_failures:
            self._limits.add(options.max_failures)
        if subscription.links_since:
            self._links.add(-subscription.links_since)
        if not subscription.paused:
            self._managers.add(subscription.manager)
        self._count(options, 1)

    def remove(self, subscription: Subscription) -> None:
        """Count a subscription no longer."""
        options = subscription.options
        if options.max_failures:
            self._limits.remove(options.max_failures)
        if subscription.links_since:
            self._links.remove(-subscription.links_since)
        if not subscription.paused:
            self._managers.remove(subscription.manager)
        self._count(options, -1)

    @property
    def request(self) -> PageRequest:
        """How the page is got."""
        return self._view.view.request

    def watched(self, with_managers: bool, longest: Patience) -> WatchedView:
        """Return the view as its watch describes it, with the longest patience.

        Its managers only if it is asked for them.
        """
        return replace(
            self._view,
            max_failures=self._limits.value,
            by_default=self._by_default > 0,
            notices=tuple(sorted(+self._notices)),
            documents=self._documents > 0,
            managers=self._managers.few if with_managers else (),
            patience=longest.seconds,
            patience_visits=longest.visits,
            links=-(self._links.value or 0),
        )

    def _count(self, options: Options, number: int) -> None:
        self.count += number
        self._by_default += number * (options.max_failures is None)
        if options.notify_failures:
            self._notices[options.failing_after] += number
        self._documents += number * (options.scope == "document")


class ViewUses:
    """The views, and how many subscriptions of each manager have each of them."""

    __slots__ = ("_managers", "_size", "_uses", "patiences")

    def __init__(self) -> None:
        """Start without any."""
        self.patiences = PatienceUses()
        self._uses: dict[str, ViewUse] = {}
        self._managers: defaultdict[str, Counter[str]] = defaultdict(Counter)
        self._size = 0
        """Bytes of all views."""

    def in_use(self) -> tuple[WatchedView, ...]:
        """Return the views that there are, the default one first.

        With their managers only where there is more than one request part: one visit reads all
        views otherwise, in the turns of the watch's managers.
        """
        requests = {each.request for each in self._uses.values()}
        return tuple(
            self._uses[view].watched(len(requests) > 1, self.patiences.longest(view))
            for view in sorted(self._uses)
        )

    def has_room(self, manager: str, wanted: WatchedView, instead_of: Subscription | None) -> bool:
        """Return whether a manager may use a view for a new subscription, or one it replaces."""
        own: Mapping[str, int] = self._managers.get(manager, {})
        kept = {name for name in own if not _is_freed(own, name, instead_of)}
        return len(kept | {wanted.id}) <= MAX_OWN and (
            wanted.id in self._uses
            or (len(self._uses) < MAX_IN_ALL and self._size + view_size(wanted.view) <= MAX_SIZE)
        )

    def add(self, subscription: Subscription) -> None:
        """Count a subscription."""
        view = subscription.view_id
        if view not in self._uses:
            use = self._uses[view] = ViewUse(
                watched_view(subscription.options, subscription.manager)
            )
            self._size += use.size
        self._uses[view].add(subscription)
        self.patiences.add(subscription)
        self._managers[subscription.manager][view] += 1

    def remove(self, subscription: Subscription) -> None:
        """Count a subscription no longer."""
        view, own = subscription.view_id, self._managers[subscription.manager]
        self._uses[view].remove(subscription)
        self.patiences.remove(subscription)
        if not self._uses[view].count:
            self._size -= self._uses.pop(view).size
        own[view] -= 1
        if not own[view]:
            del own[view]
        if not own:
            del self._managers[subscription.manager]


def _is_freed(own: Mapping[str, int], view: str, ended: Subscription | None) -> bool:
    return ended is not None and ended.view_id == view and own[view] == 1
