"""All registrations of one URL, and the watch that results from them."""

from collections.abc import Collection, Iterable, Iterator, Mapping

from schemas.state import Registration
from schemas.subscriptions import Options, Subscription
from schemas.watches import Watch
from streams.core.register.managers import ManagerCounts
from streams.core.register.smallest import Smallest
from streams.core.register.view_uses import ViewUses

NOTIFIED = b"\0notified\0"
"""What the key of a row begins with that is no registration: how far a change is matched."""
NOTHING = Registration(subscription=None, applied=(), answers=(), at=0)


class Registrations(Mapping[bytes, Registration]):
    """Registrations by table key.

    All subscriptions of a URL share one watch: a new one joins it. Its interval is the
    smallest of those that are not paused, or of all if all are, and so is its longest interval,
    which for a subscription without one is its interval; its views are those of all,
    so that a pause costs no snapshot.
    """

    __slots__ = ("_intervals", "_longest", "_managers", "_rows", "_watch", "latest", "views")

    def __init__(self) -> None:
        """Start empty."""
        self.latest = 0
        """The latest time of any decision (epoch ms)."""
        self._rows: dict[bytes, Registration] = {}
        self._watch = ""
        # With thousands of subscriptions of a URL, no request may look at each of them.
        self._intervals = {False: Smallest(), True: Smallest()}
        """Seconds, by whether the subscription is paused."""
        self._longest = {False: Smallest(), True: Smallest()}
        """Seconds, as well; the interval counts for a subscription without a longest one."""
        self._managers = ManagerCounts()
        """Of subscriptions that are not paused."""
        self.views = ViewUses()

    def __getitem__(self, key: bytes) -> Registration:
        return self._rows[key]

    def __iter__(self) -> Iterator[bytes]:
        return iter(self._rows)

    def __len__(self) -> int:
        return len(self._rows)

    def put(self, key: bytes, registration: Registration) -> None:
        """Replace a registration."""
        self._exchange(self._subscription(key), registration.subscription)
        self._rows[key] = registration
        self.latest = max(self.latest, registration.at)

    def copy(self) -> "Registrations":
        """Return a second one, to decide on without remembering."""
        second = Registrations()
        for key, registration in self._rows.items():
            second.put(key, registration)
        second.latest = self.latest
        return second

    def drop(self, key: bytes) -> None:
        """Forget a registration without a subscription."""
        del self._rows[key]

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

    def links_asked(self, at: int) -> int:
        """Return since when (epoch ms) links are asked for now, later than for any other crawl.

        Fetch finds them again for a later time alone, and ``at`` is that of others if a clock
        was ahead.
        """
        watch = self.watch()
        known = () if watch is None else watch.views
        return max(at, 1 + max((view.links for view in known), default=0))

    def resulting(self, key: bytes, after: Registration) -> Watch | None:
        """Return the watch that there would be with another registration under a key."""
        before = self._subscription(key)
        self._exchange(before, after.subscription)
        watch = self.watch()
        self._exchange(after.subscription, before)
        return watch

    def _subscription(self, key: bytes) -> Subscription | None:
        return self._rows.get(key, NOTHING).subscription

    def _exchange(self, old: Subscription | None, new: Subscription | None) -> None:
        if old is not None:
            self._intervals[old.paused].remove(old.options.interval)
            self._longest[old.paused].remove(_longest_interval(old.options))
            self.views.remove(old)
            if not old.paused:
                self._managers.remove(old.manager)
        if new is not None:
            self._watch = new.watch
            self._intervals[new.paused].add(new.options.interval)
            self._longest[new.paused].add(_longest_interval(new.options))
            self.views.add(new)
            if not new.paused:
                self._managers.add(new.manager)


def _longest_interval(options: Options) -> int:
    return options.max_interval or options.interval


def active(registrations: Iterable[Registration]) -> list[Subscription]:
    """Return the subscriptions that there are, oldest first."""
    return by_age(r.subscription for r in registrations if r.subscription is not None)


def by_age(subscriptions: Iterable[Subscription]) -> list[Subscription]:
    """Sort subscriptions, oldest first."""
    return sorted(subscriptions, key=lambda subscription: (subscription.created, subscription.id))
