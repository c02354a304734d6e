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
"""Changes of a document that are counted, the newest."""
MAX_SEARCHED = 5_000
"""Subscriptions, or notifications, that one call of a search looks at; its page may be shorter
for that reason."""


@dataclass(frozen=True, slots=True)
class SubscriptionSearch:
    """A search among subscriptions: those with ``text`` in a name, a title, a URL or a keyword.

    Upper and lower case of ASCII are alike; an empty text is in all. Those that have ended are
    found only with ``ended``. With a ``tag``, in canonical form, only those that have it.
    """

    text: str = ""
    ended: bool = False
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
    """A search among the changes that a manager's watches saw ``since`` a time (epoch ms).

    A change is found that has all terms of one of the ``choices``.
    """

    choices: tuple[tuple[str, ...], ...]
    since: int = 0


@dataclass(frozen=True, slots=True)
class FoundChange:
    """A change with a subscription that saw it."""

    subscription: Subscription
    change: DocumentChanged


@dataclass(frozen=True, slots=True)
class WithoutRoom:
    """Pages that a crawl left out because the crawls of its manager cover as many as they may.

    ``count`` is MAX_WITHOUT_ROOM of ``schemas.records.crawls`` at most, ``at`` when the last of
    them was left out (epoch ms).
    """

    count: int
    at: int


@dataclass(frozen=True, slots=True)
class ListedSubscription:
    """A subscription as ``GET /subscriptions`` lists it. Times are epoch ms.

    ``state`` is ``active``, ``paused``, ``cancelled`` or ``expired``; the last two have
    a time in ``ended``, after which no ``last_check`` counts, the last one also a ``reason``.
    ``interval`` (s) is that of the watch that the subscription shares, None once it has ended;
    ``last_check``, ``failures`` and ``last_error`` are those of the document on that watch, in the
    subscription's view, the last two only until it ends. If its
    fetch is due, it may wait for something, ``waiting_since`` a time. The document is flapping
    until ``flapping_until``. ``title`` is that of the last page that was read, if it had one.
    ``missing`` says why the last visit found nothing of its part, or a login page; it is lost if
    it has a time in ``lost_since``. ``confidence`` and ``past`` are those of Document. ``waiting``
    says which changes wait to stand, None if the subscription has no patience or none has waited
    lately; ``without_room`` which pages of its crawl, None if there are none.
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
    def called(self) -> str:
        """The name of the subscription, or else the title; empty if it has neither."""
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
    """One page of a listing; ``next`` is the cursor of the page after it, if there is one."""

    items: tuple[Item, ...]
    next: str | None
