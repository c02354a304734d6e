"""All registrations of a URL, and the resulting watch."""

from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import replace
from functools import lru_cache
from itertools import accumulate

from schemas.codec import wire
from schemas.records.crawls import CrawlOptions
from schemas.records.subscriptions import Options, Subscription
from schemas.records.table_rows import Registration
from schemas.records.watches import Watch
from streams.agents.match.patience.memory import Patience, patience_of
from streams.agents.match.register.watch_uses import WatchUses, watch_of_one
from streams.values.lifetimes import REMEMBERED_MS, ended

NOTIFIED = b"\0notified\0"
"""The beginning of the key of a row with a change's progress."""
NOTHING = Registration(subscription=None, applied=(), answers=(), at=0)
MAX_ENDED, MAX_ENDED_SIZE = 8, 8_000
"""The most ended subscriptions in a row, and bytes of them: no quota counts them."""


class Registrations(Mapping[bytes, Registration]):
    """Registrations by table key.

    All subscriptions of a URL share a watch: a new subscription joins the watch. Its interval is
    the smallest of its subscriptions, but of the paused only if all are, as is its longest
    interval, for a subscription without any its interval; its views are the views of all, so a
    pause costs no snapshot.
    """

    __slots__ = ("_last_end", "_rows", "_uses", "check", "latest")

    def __init__(self) -> None:
        self.latest = 0
        """The latest time of any decision (epoch ms)."""
        self.check = 0
        """The time of the last requested visit (epoch ms)."""
        self._last_end = 0
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
        self.check = max(self.check, registration.check)
        if registration.ended:
            self._last_end = max(self._last_end, registration.ended[-1].ended)

    def copy(self) -> "Registrations":
        """Return a copy, to decide on without remembering."""
        second = Registrations()
        for key, registration in self._rows.items():
            second.put(key, registration)
        second.latest = self.latest
        return second

    def drop(self, key: bytes) -> None:
        """Forget a registration without a subscription."""
        del self._rows[key]

    def managers(self, at: int) -> Collection[str]:
        """Return the managers of present subscriptions, or ended after a time."""
        ended = self.ended_after(at)
        if ended or isinstance(self._uses, WatchUses):
            return {*self.counted.views.managers, *(each.manager for each in ended)}
        return () if self._uses is None else (self._uses.manager,)

    def ended_after(self, at: int) -> list[Subscription]:
        """Return the remembered subscriptions ended after a time (epoch ms)."""
        if at >= self._last_end:  # nearly always: what was seen is read before a later request
            return []
        return [one for row in self._rows.values() for one in row.ended if one.ended > at]

    @property
    def counted(self) -> WatchUses:
        """The subscriptions, counted by their options; not to be changed."""
        if isinstance(self._uses, WatchUses):
            return self._uses
        return WatchUses() if self._uses is None else WatchUses(self._uses)

    def patiences(self, view: str, at: int) -> tuple[Patience, ...]:
        """Return the patiences of the subscriptions of a view, the shortest first.

        Subscriptions ended after a time (epoch ms) are included.
        """
        if ended := self.ended_after(at):
            theirs = (patience_of(each.options) for each in ended if each.view_id == view)
            present = self.counted.views.patiences.of_view(view)
            return tuple(sorted({*present, *(each for each in theirs if each is not None)}))
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
        """Return the begin (epoch ms) of a crawl's request for links, unchanged for an equal crawl.

        A new request is later than any other: fetch finds links again only for a later time, and
        ``at`` equals others if a clock was ahead.
        """
        if known is not None and known.options.crawl == crawl:
            return known.links_since
        watch = self.watch()
        views = () if watch is None else watch.views
        return max(at, 1 + max((view.links for view in views), default=0))

    def resulting(self, key: bytes, after: Registration) -> Watch | None:
        """Return the resulting watch with another registration under a key."""
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
        """Count a subscription instead of another."""
        if self._uses is old:  # it is the only one, or there is none
            self._uses = new
            return
        uses = self._uses = self.counted
        if old is not None:
            uses.count(old, -1)
        if new is not None:
            uses.count(new, 1)


def active(registrations: Iterable[Registration]) -> list[Subscription]:
    """Return the present subscriptions, oldest first."""
    return by_age(r.subscription for r in registrations if r.subscription is not None)


def remembered_ends(
    known: Registration, gone: Subscription | None, at: int
) -> tuple[Subscription, ...]:
    """Return the ended subscriptions of a registration after a decision, the oldest first.

    ``gone`` ends with the request, ``at`` a time (epoch ms).
    """
    if gone is None and not known.ended:
        return ()
    several = known.ended if gone is None else (*known.ended, ended(gone, at))
    recent = [each for each in several if each.ended > at - REMEMBERED_MS][-MAX_ENDED:]
    sizes = accumulate(
        len(wire.encode(replace(NOTHING, ended=(each,)))) for each in reversed(recent)
    )
    room = sum(size <= MAX_ENDED_SIZE for size in sizes)
    return tuple(recent[len(recent) - room :])


def by_age(subscriptions: Iterable[Subscription]) -> list[Subscription]:
    """Sort subscriptions, oldest first."""
    return sorted(subscriptions, key=lambda subscription: (subscription.created, subscription.id))


@lru_cache(maxsize=256)
def shared_options(options: Options) -> Options:
    """Return options equal to these, the same object each time.

    >>> shared_options(Options(interval=60)) is shared_options(Options(interval=60))
    True
    """
    return options


def shared_subscription(subscription: Subscription) -> Subscription:
    """Return an equal subscription whose parts are shared with others, or among its fields."""
    url, begun = subscription.url, subscription.id
    return replace(
        subscription,
        watch=begun if subscription.watch == begun else subscription.watch,
        document_url=url if subscription.document_url == url else subscription.document_url,
        options=shared_options(subscription.options),
    )


def shared_registration(registration: Registration) -> Registration:
    """Return an equal registration with a subscription of shared parts."""
    if registration.subscription is None:
        return registration
    return replace(registration, subscription=shared_subscription(registration.subscription))
