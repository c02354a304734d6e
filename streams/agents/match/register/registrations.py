"""All registrations of one URL, and the watch that results from them."""

from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import replace
from functools import lru_cache

from schemas.records.crawls import CrawlOptions
from schemas.records.subscriptions import Options, Subscription
from schemas.records.table_rows import Registration
from schemas.records.watches import Watch
from streams.agents.match.patience.memory import Patience, patience_of
from streams.agents.match.register.watch_uses import WatchUses, watch_of_one

NOTIFIED = b"\0notified\0"
"""The beginning of the key of a row that says how far a change is matched."""
NOTHING = Registration(subscription=None, applied=(), answers=(), at=0)


class Registrations(Mapping[bytes, Registration]):
    """Registrations by table key.

    All subscriptions of a URL share one watch: a new one joins it. Its interval is the
    smallest of those that are not paused, or of all if all are, and so is its longest interval,
    which for a subscription without one is its interval; its views are those of all,
    so that a pause costs no snapshot.
    """

    __slots__ = ("_rows", "_uses", "latest")

    def __init__(self) -> None:
        """Start empty."""
        self.latest = 0
        """The latest time of any decision (epoch ms)."""
        self._rows: dict[bytes, Registration] = {}
        # Most URLs have one subscription: to count it takes four times its own memory.
        self._uses: WatchUses | Subscription | None = None

    def __getitem__(self, key: bytes) -> Registration:
        return self._rows[key]

    def __iter__(self) -> Iterator[bytes]:
        return iter(self._rows)

    def __len__(self) -> int:
        return len(self._rows)

    def put(self, key: bytes, registration: Registration) -> None:
        """Replace a registration."""
        self._exchange(self._rows.get(key, NOTHING).subscription, registration.subscription)
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
        if isinstance(self._uses, Subscription):
            return () if self._uses.paused else (self._uses.manager,)
        return () if self._uses is None else self._uses.managers

    @property
    def counted(self) -> WatchUses:
        """The subscriptions, counted by what they ask for; not to be changed."""
        if isinstance(self._uses, WatchUses):
            return self._uses
        return WatchUses() if self._uses is None else WatchUses(self._uses)

    def patiences(self, view: str) -> tuple[Patience, ...]:
        """Return the patiences that subscriptions of a view have, the shortest first."""
        if isinstance(self._uses, Subscription):
            own = patience_of(self._uses.options)
            return (own,) if own is not None and self._uses.view_id == view else ()
        return () if self._uses is None else self._uses.views.patiences.of_view(view)

    def watch(self) -> Watch | None:
        """Return the watch, None without a subscription or for several pages."""
        if isinstance(self._uses, WatchUses):
            return self._uses.watch()
        return None if self._uses is None else watch_of_one(self._uses)

    def links_asked(self, known: Subscription | None, crawl: CrawlOptions | None, at: int) -> int:
        """Return since when (epoch ms) a crawl asks for links: as ``known`` does, if it crawls so.

        A new one asks later than any other: fetch finds links again for a later time alone, and
        ``at`` is that of others if a clock was ahead.
        """
        if known is not None and known.options.crawl == crawl:
            return known.links_since
        watch = self.watch()
        views = () if watch is None else watch.views
        return max(at, 1 + max((view.links for view in views), default=0))

    def resulting(self, key: bytes, after: Registration) -> Watch | None:
        """Return the watch that there would be with another registration under a key."""
        before = self._rows.get(key, NOTHING).subscription
        uses = self._uses
        self._exchange(before, after.subscription)
        watch = self.watch()
        if isinstance(uses, WatchUses):
            self._exchange(after.subscription, before)
        else:
            self._uses = uses
        return watch

    def _exchange(self, old: Subscription | None, new: Subscription | None) -> None:
        """Count a subscription instead of another one."""
        if self._uses is old:  # it is the only one, or there is none
            self._uses = new
            return
        uses = self._uses = self.counted
        if old is not None:
            uses.count(old, -1)
        if new is not None:
            uses.count(new, 1)


def active(registrations: Iterable[Registration]) -> list[Subscription]:
    """Return the subscriptions that there are, oldest first."""
    return by_age(r.subscription for r in registrations if r.subscription is not None)


def by_age(subscriptions: Iterable[Subscription]) -> list[Subscription]:
    """Sort subscriptions, oldest first."""
    return sorted(subscriptions, key=lambda subscription: (subscription.created, subscription.id))


@lru_cache(maxsize=256)
def shared_options(options: Options) -> Options:
    """Return options that are equal to these, the same object each time.

    >>> shared_options(Options(interval=60)) is shared_options(Options(interval=60))
    True
    """
    return options


def shared_subscription(subscription: Subscription) -> Subscription:
    """Return an equal subscription with parts that others, or its own fields, have, too."""
    url, begun = subscription.url, subscription.id
    return replace(
        subscription,
        watch=begun if subscription.watch == begun else subscription.watch,
        document_url=url if subscription.document_url == url else subscription.document_url,
        options=shared_options(subscription.options),
    )


def shared_registration(registration: Registration) -> Registration:
    """Return an equal registration with a subscription that shares its parts."""
    if registration.subscription is None:
        return registration
    return replace(registration, subscription=shared_subscription(registration.subscription))
