"""Listings of a store: subscriptions, and pages of anything."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Generic, TypeVar

from schemas.records.changes import DocumentChanged
from schemas.records.subscriptions import Subscription
from schemas.records.waiting import ChangesWaiting

Item = TypeVar("Item")

DAY_MS = 86_400_000
MAX_COUNTED = 1_000
"""The most changes of a document to count, the newest."""
MAX_SEARCHED = 5_000
"""The most subscriptions or notifications read by one call of a search; its page may be shorter."""


@dataclass(frozen=True, slots=True)
class SubscriptionSearch:
    """A search among subscriptions: those with ``text`` in a name, a title, a URL or a keyword.

    Upper and lower case of ASCII are alike; an empty text is in all. Ended subscriptions are found,
    too. With a ``tag``, in canonical form, only subscriptions with the tag.
    """

    text: str = ""
    tag: str = ""


@dataclass(frozen=True, slots=True)
class NewsSearch:
    """A search among a manager's notifications; empty fields do not count.

    ``client`` is a receiver, ``tag`` a tag in canonical form, ``text`` a part of a name, a
    title, an address or a keyword, in any case.
    """

    client: str = ""
    tag: str = ""
    text: str = ""


@dataclass(frozen=True, slots=True)
class ChangeSearch:
    """A search among the changes seen by a manager's watches ``since`` a time (epoch ms).

    A change needs all terms of any of the ``choices``.
    """

    choices: tuple[tuple[str, ...], ...]
    since: int = 0


@dataclass(frozen=True, slots=True)
class FoundChange:
    """A change with a subscription to its page."""

    subscription: Subscription
    change: DocumentChanged


@dataclass(frozen=True, slots=True)
class WithoutRoom:
    """Pages left out of a crawl because the crawls of its manager cover the most pages.

    ``count`` is MAX_WITHOUT_ROOM of ``schemas.records.crawls`` at most, ``at`` when the last of
    them was left out (epoch ms).
    """

    count: int
    at: int


@dataclass(frozen=True, slots=True)
class ListedSubscription:
    """A subscription in ``GET /subscriptions``.

    Times are epoch ms.

    ``state`` is ``active``, ``paused``, ``stopped`` (for the time of undo), ``cancelled`` or
    ``expired``; the last two have a time in ``ended``, which bounds ``last_check``, the last also a
    ``reason``. ``interval`` (s) is the interval of the shared watch, None after the end;
    ``last_check``, ``failures`` and ``last_error`` are from the document on the watch, in the
    subscription's view, the last two only until the end. A due fetch may wait for something,
    ``waiting_since`` a time. The document is flapping until ``flapping_until``. ``title`` is the
    title of the page at its last visit, if any. ``missing`` says why the last visit found nothing
    of its part, or a login page; a time in ``lost_since`` says since when the part is lost.
    ``confidence`` and ``past`` are those of Document. ``waiting`` says which changes wait to stand,
    None if the subscription has no patience or none has waited lately; ``without_room`` which pages
    of its crawl, None if there are none.
    """

    subscription: Subscription
    state: str
    reason: str | None
    ended: int | None
    interval: int | None
    last_check: int | None
    failures: int
    last_error: str | None
    waiting_since: int | None = None
    waiting_for: str | None = None
    flapping_until: int = 0
    title: str = ""
    missing: str | None = None
    lost_since: int | None = None
    confidence: float | None = None
    past: bytes = b""
    waiting: ChangesWaiting | None = None
    without_room: WithoutRoom | None = None

    @property
    def undo_until(self) -> int | None:
        """The time until which its stop can be undone; None if it is not stopped, or has ended."""
        return self.subscription.undo_until if self.ended is None else None

    @property
    def called(self) -> str:
        """The name of the subscription, or else the title; empty without both."""
        return self.subscription.name or self.title


@dataclass(frozen=True, slots=True)
class DocumentSpan:
    """A document in a view (its id), from a time to another (epoch ms)."""

    url: str
    view: str
    begin: int
    end: int


@dataclass(frozen=True, slots=True)
class ChangesInSpan:
    """The number of changes in a span by day since 1970 (UTC), and when the ``last`` was found."""

    days: Mapping[int, int] = field(default_factory=dict)
    last: int | None = None


@dataclass(frozen=True, slots=True)
class ListingPage(Generic[Item]):
    """A page of a listing; ``next`` is the cursor of the page after, if any."""

    items: tuple[Item, ...]
    next: str | None
