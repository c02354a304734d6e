"""Count the subscriptions of a URL by their demands on its watch and its views."""

from collections import Counter, defaultdict
from collections.abc import Collection, Mapping
from dataclasses import replace
from functools import lru_cache

from schemas.records.subscriptions import Options, Receiver, Subscription
from schemas.records.views import WatchedView
from schemas.records.watches import Watch
from streams.agents.match.patience.memory import Patience
from streams.agents.match.register.counts import ManagerCounts, PatienceUses, Smallest
from streams.values.views import view_size, watched_view

MAX_OWN = 64
"""The most views of a manager at a URL."""
MAX_IN_ALL = 256
"""The most views of a URL; every fact about the URL lists them, and has to fit a message."""

MAX_SIZE = 500_000
"""The most bytes of all views of a URL, for the same reason."""


class ViewUse:
    """The subscriptions of a view: their limits of failures, and their scopes."""

    __slots__ = (
        "_by_default",
        "_documents",
        "_limits",
        "_links",
        "_managers",
        "_notices",
        "number",
        "size",
        "view",
    )

    def __init__(self, view: WatchedView) -> None:
        """Start without any; of ``view``, id and view count."""
        self.number = 0
        self.size = view_size(view.view)
        """Bytes of the view."""
        self.view = view
        self._limits = Smallest()
        # The latest time first.
        self._links = Smallest()
        self._by_default = 0
        self._notices = Counter[int]()
        self._documents = 0
        self._managers = ManagerCounts()

    def count(self, subscription: Subscription, by: int) -> None:
        """Count a subscription (``by`` 1), or no longer (-1)."""
        options = subscription.options
        self.number += by
        if options.max_failures:
            self._limits.count(options.max_failures, by)
        if subscription.links_since:
            self._links.count(-subscription.links_since, by)
        if not subscription.paused:
            self._managers.count(subscription.manager, by)
        self._by_default += by * (options.max_failures is None)
        if options.notify_failures:
            self._notices[options.failing_after] += by
        self._documents += by * (options.scope == "document")

    def watched(self, with_managers: bool, longest: Patience) -> WatchedView:
        """Return the view in its watch's description, with the longest patience.

        Its managers are included only if asked for.
        """
        return replace(
            self.view,
            max_failures=self._limits.value,
            by_default=self._by_default > 0,
            notices=tuple(sorted(+self._notices)),
            documents=self._documents > 0,
            managers=self._managers.few if with_managers else (),
            patience=longest.seconds,
            patience_visits=longest.visits,
            links=-(self._links.value or 0),
        )


class ViewUses:
    """The views, and how many subscriptions of each manager have each of them."""

    __slots__ = ("_managers", "_size", "_uses", "patiences")

    def __init__(self) -> None:
        self.patiences = PatienceUses()
        self._uses: dict[str, ViewUse] = {}
        self._managers: defaultdict[str, Counter[str]] = defaultdict(Counter)
        self._size = 0
        """Bytes of all views."""

    @property
    def managers(self) -> Collection[str]:
        """The managers of a view."""
        return self._managers.keys()

    def in_use(self) -> tuple[WatchedView, ...]:
        """Return the present views, the default view first.

        Their managers are included only with several request parts: otherwise a visit reads all
        views, in the turns of the watch's managers.
        """
        requests = {each.view.view.request for each in self._uses.values()}
        return tuple(
            self._uses[view].watched(len(requests) > 1, self.patiences.longest(view))
            for view in sorted(self._uses)
        )

    def has_room(self, manager: str, wanted: WatchedView, instead_of: Subscription | None) -> bool:
        """Return whether a manager may use a view for a new or replaced subscription."""
        own: Mapping[str, int] = self._managers.get(manager, {})
        kept = set(own)
        if instead_of is not None and own.get(instead_of.view_id) == 1:  # it is the last in it
            kept.discard(instead_of.view_id)
        return len(kept | {wanted.id}) <= MAX_OWN and (
            wanted.id in self._uses
            or (len(self._uses) < MAX_IN_ALL and self._size + view_size(wanted.view) <= MAX_SIZE)
        )

    def count(self, subscription: Subscription, by: int) -> None:
        """Count a subscription (``by`` 1), or no longer (-1)."""
        view, own = subscription.view_id, self._managers[subscription.manager]
        if by > 0 and view not in self._uses:
            watched = watched_view(subscription.options, subscription.manager)
            self._size += self._uses.setdefault(view, ViewUse(watched)).size
        self._uses[view].count(subscription, by)
        self.patiences.count(subscription, by)
        if not self._uses[view].number:
            self._size -= self._uses.pop(view).size
        own[view] += by
        if not own[view]:
            del own[view]
        if not own:
            del self._managers[subscription.manager]


class WatchUses:
    """Counts the subscriptions of a URL by their demands.

    With thousands of them, no request may look at each.
    """

    __slots__ = ("_intervals", "_longest", "_managers", "_watch", "views")

    def __init__(self, *subscriptions: Subscription) -> None:
        """Count these."""
        self._watch = ""
        self._intervals = {False: Smallest(), True: Smallest()}
        """Seconds, by whether the subscription is paused."""
        self._longest = {False: Smallest(), True: Smallest()}
        """Seconds, as well; the interval counts for a subscription without a longest interval."""
        self._managers = ManagerCounts()
        """Of subscriptions which are not paused."""
        self.views = ViewUses()
        for each in subscriptions:
            self.count(each, 1)

    def watch(self) -> Watch | None:
        """Return the watch, None without a subscription or for several pages."""
        if not self._watch:
            return None
        for is_paused, intervals in self._intervals.items():
            interval, longest = intervals.value, self._longest[is_paused].value
            if interval is not None and longest is not None:
                return Watch(
                    id=self._watch,
                    interval=interval,
                    max_interval=longest if longest > interval else None,
                    views=self.views.in_use(),
                    paused=is_paused,
                    managers=self._managers.few,
                )
        return None

    def count(self, subscription: Subscription, by: int) -> None:
        """Count a subscription (``by`` 1), or no longer (-1)."""
        options, is_paused = subscription.options, subscription.paused
        if by > 0:
            self._watch = subscription.watch
        self._intervals[is_paused].count(options.interval, by)
        self._longest[is_paused].count(options.max_interval or options.interval, by)
        self.views.count(subscription, by)
        if not is_paused:
            self._managers.count(subscription.manager, by)


def watch_of_one(subscription: Subscription) -> Watch | None:
    """Return the watch of a URL with a single subscription, None for several pages."""
    if not subscription.watch:
        return None
    manager, view, links = subscription.manager, subscription.view_id, subscription.links_since
    same = _watch_without_id(subscription.options, manager, view, links, subscription.paused)
    return Watch(
        id=subscription.watch,
        interval=same.interval,
        max_interval=same.max_interval,
        views=same.views,
        paused=same.paused,
        managers=same.managers,
    )


@lru_cache(maxsize=256)  # most subscriptions have the options of many others
def _watch_without_id(
    options: Options, manager: str, view: str, links_since: int, paused: bool
) -> Watch:
    alike = Subscription(
        id="",
        watch="any",
        manager=manager,
        document_url="",
        url="",
        receiver=Receiver(),
        keywords=(),
        options=options,
        created=0,
        view_id=view,
        links_since=links_since,
        paused=paused,
    )
    watch = WatchUses(alike).watch()
    assert watch is not None, "it has a subscription"
    return watch
