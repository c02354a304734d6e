"""What the subscriptions of one URL ask of its watch, taken together."""

from collections.abc import Collection
from functools import lru_cache

from schemas.records.subscriptions import Options, Receiver, Subscription
from schemas.records.watches import Watch
from streams.agents.match.register.managers import ManagerCounts
from streams.agents.match.register.min_counter import Smallest
from streams.agents.match.register.view_uses import ViewUses


class WatchUses:
    """Counts the subscriptions of a URL by what they ask for.

    With thousands of them, no request may look at each.
    """

    __slots__ = ("_intervals", "_longest", "_managers", "_watch", "views")

    def __init__(self, *subscriptions: Subscription) -> None:
        """Count these."""
        self._watch = ""
        self._intervals = {False: Smallest(), True: Smallest()}
        """Seconds, by whether the subscription is paused."""
        self._longest = {False: Smallest(), True: Smallest()}
        """Seconds, as well; the interval counts for a subscription without a longest one."""
        self._managers = ManagerCounts()
        """Of subscriptions that are not paused."""
        self.views = ViewUses()
        for each in subscriptions:
            self.add(each)

    @property
    def managers(self) -> Collection[str]:
        """The managers of subscriptions that are not paused."""
        return self._managers.all

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

    def add(self, subscription: Subscription) -> None:
        """Count a subscription."""
        self._watch, is_paused = subscription.watch, subscription.paused
        self._intervals[is_paused].add(subscription.options.interval)
        self._longest[is_paused].add(_longest_interval(subscription.options))
        self.views.add(subscription)
        if not is_paused:
            self._managers.add(subscription.manager)

    def remove(self, subscription: Subscription) -> None:
        """Count a subscription no longer."""
        is_paused = subscription.paused
        self._intervals[is_paused].remove(subscription.options.interval)
        self._longest[is_paused].remove(_longest_interval(subscription.options))
        self.views.remove(subscription)
        if not is_paused:
            self._managers.remove(subscription.manager)


def watch_of_one(subscription: Subscription) -> Watch | None:
    """Return the watch of a URL with one subscription, None if that is for several pages."""
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


def _longest_interval(options: Options) -> int:
    return options.max_interval or options.interval
