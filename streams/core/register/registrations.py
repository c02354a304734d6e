"""All registrations of one URL, with what the register asks of them kept at hand."""

from bisect import insort
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from heapq import heapify, heappop, heappush

from schemas.facts import Subscription, Watch
from schemas.state import Registration

NOTHING = Registration(subscription=None, applied=(), answers=(), at=0)
_Named = tuple[int, str, str, bytes]
"""A subscription that names a content type: created, id, content type, table key."""


class _Intervals:
    """Intervals (s) with how often each is there."""

    __slots__ = ("_counts", "_distinct")

    def __init__(self) -> None:
        self._counts: Counter[int] = Counter()
        self._distinct: list[int] = []

    def add(self, interval: int) -> None:
        self._counts[interval] += 1
        if self._counts[interval] == 1:
            insort(self._distinct, interval)

    def remove(self, interval: int) -> None:
        self._counts[interval] -= 1
        if not self._counts[interval]:
            del self._counts[interval]
            self._distinct.remove(interval)

    def least(self, without: int | None) -> int | None:
        """The smallest once ``without`` is removed, None where none is left."""
        if without is not None and self._counts[without] == 1:
            return next((each for each in self._distinct if each != without), None)
        return next(iter(self._distinct), None)


class Registrations(Mapping[bytes, Registration]):
    """Registrations by table key; what is asked for each request is found without a look at all.

    The subscriptions that there are share one watch: a new one joins it.
    """

    __slots__ = ("_intervals", "_named", "_rows", "_watch", "latest")

    def __init__(self) -> None:
        """Start empty."""
        self.latest = 0
        """The latest time of any decision (epoch ms)."""
        self._rows: dict[bytes, Registration] = {}
        self._watch = ""
        self._intervals = {False: _Intervals(), True: _Intervals()}
        """Of subscriptions that are told of changes, and of paused ones."""
        self._named: list[_Named] = []

    def __getitem__(self, key: bytes) -> Registration:
        return self._rows[key]

    def __iter__(self) -> Iterator[bytes]:
        return iter(self._rows)

    def __len__(self) -> int:
        return len(self._rows)

    def put(self, key: bytes, registration: Registration) -> None:
        """Replace a registration."""
        old, new = self._subscription(key), registration.subscription
        self._rows[key] = registration
        self.latest = max(self.latest, registration.at)
        if old is not None:
            self._intervals[old.paused].remove(old.options.interval)
        if new is not None:
            self._join(key, new, old)

    def copy(self) -> "Registrations":
        """Give a second one, to decide on without remembering."""
        second = Registrations()
        for key, registration in self._rows.items():
            second.put(key, registration)
        second.latest = self.latest
        return second

    def drop(self, key: bytes) -> None:
        """Forget a registration without a subscription."""
        del self._rows[key]

    def watch(self) -> Watch | None:
        """Give the watch that there is."""
        return self.resulting(b"", NOTHING)

    def resulting(self, key: bytes, after: Registration) -> Watch | None:
        """Give the watch that there is once a registration is replaced.

        Smallest interval of those that are not paused, if there are such; content type
        of the oldest subscription that names one, so that a pause changes no reader.
        """
        old, new = self._subscription(key), after.subscription
        for paused, intervals in self._intervals.items():
            left = intervals.least(old.options.interval if old and old.paused == paused else None)
            joining = new.options.interval if new and new.paused == paused else None
            found = [each for each in (left, joining) if each is not None]
            if found:
                name = self._watch if new is None else new.watch
                return Watch(name, min(found), self._content_type(key, new), paused)
        return None

    def _subscription(self, key: bytes) -> Subscription | None:
        return self._rows.get(key, NOTHING).subscription

    def _join(self, key: bytes, new: Subscription, old: Subscription | None) -> None:
        self._watch = new.watch
        self._intervals[new.paused].add(new.options.interval)
        named = _named(key, new)
        if named is not None and (old is None or named != _named(key, old)):
            heappush(self._named, named)
            if len(self._named) > 2 * len(self._rows) + 8:
                self._named = list({each for each in self._named if self._is_there(each)})
                heapify(self._named)

    def _content_type(self, key: bytes, new: Subscription | None) -> str | None:
        """The content type named by the oldest, with another subscription under a key."""
        aside: list[_Named] = []
        while self._named and (self._named[0][3] == key or not self._is_there(self._named[0])):
            first = heappop(self._named)
            if self._is_there(first) and first not in aside:
                aside.append(first)
        oldest = self._named[:1]
        if new is not None and (named := _named(key, new)) is not None:
            oldest.append(named)
        for each in aside:
            heappush(self._named, each)
        return min(oldest)[2] if oldest else None

    def _is_there(self, named: _Named) -> bool:
        now = self._subscription(named[3])
        return now is not None and _named(named[3], now) == named


def active(registrations: Iterable[Registration]) -> list[Subscription]:
    """Give the subscriptions that there are, oldest first."""
    return by_age(r.subscription for r in registrations if r.subscription is not None)


def by_age(subscriptions: Iterable[Subscription]) -> list[Subscription]:
    """Put subscriptions in order, oldest first."""
    return sorted(subscriptions, key=lambda subscription: (subscription.created, subscription.id))


def _named(key: bytes, subscription: Subscription) -> _Named | None:
    if subscription.options.content_type is None:
        return None
    return subscription.created, subscription.id, subscription.options.content_type, key
