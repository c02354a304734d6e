"""A subscription, its options and its receiver."""

from dataclasses import dataclass
from typing import Annotated

from schemas.records.crawls import Coverage, CrawlOptions
from schemas.records.field_types import (
    MAX_FAILING_AFTER,
    MAX_HELD,
    MAX_HOURS,
    MAX_INTERVAL,
    MAX_NAME,
    MAX_PATIENCE,
    MAX_PATIENCE_VISITS,
    MAX_PER_DAY,
    MAX_RULE,
    MAX_SNIPPET_OFFSET,
    MAX_WISH,
    ClientUrl,
    Count,
    Document,
    Id,
    Name,
    Scope,
    Statuses,
    Time,
)
from schemas.records.fields import About
from schemas.records.names import SubscriptionName
from schemas.records.numbers import NO_CONDITIONS, Conditions
from schemas.records.tags import Tags
from schemas.records.views import ViewOptions

UNDO_MS = 60_000
"""The time for which a stop can be undone."""


@dataclass(frozen=True, slots=True)
class Receiver:
    """The receiver of notifications: the webhook at ``client_url``, or the reader of a ``session``.

    ``channel:NAME`` as ``client_url`` is a channel of the manager. Exactly one of the two is set;
    the register refuses other requests.
    """

    client_url: ClientUrl | None = None
    session: Name | None = None

    @property
    def name(self) -> str:
        """The URL or the session, empty if neither is set."""
        return self.client_url or self.session or ""


@dataclass(frozen=True, slots=True)
class Options:
    """The choices of a client for its subscription.

    >>> Options(interval=900, ignore_case=True).snippet_offset
    50
    """

    content_type: Annotated[
        str | None,
        About(
            "Read the document as this type.",
            least=1,
            most=MAX_NAME,
            unit="characters",
            json_name="documentContentType",
        ),
    ] = None
    on_status: Statuses = ()
    view: Annotated[ViewOptions, About("Read a part of the document alone.", nested=True)] = (
        ViewOptions()
    )
    interval: Annotated[
        int, About("Seconds between fetches.", least=1, most=MAX_INTERVAL, unit="seconds")
    ] = 600
    max_interval: Annotated[
        int | None,
        About(
            "Seconds between fetches at most, with which a page is fetched at the pace of its "
            "own changes.",
            least=1,
            most=MAX_INTERVAL,
            unit="seconds",
        ),
    ] = None
    ignore_added: Annotated[bool, About("Do not notify of added passages.")] = False
    ignore_removed: Annotated[bool, About("Do not notify of removed passages.")] = False
    ignore_returns: Annotated[
        bool, About("Do not notify of a text that the document had before.")
    ] = False
    patience: Annotated[
        int | None,
        About(
            "Seconds for which a change must stand before it is notified.",
            least=1,
            most=MAX_PATIENCE,
            unit="seconds",
        ),
    ] = None
    patience_visits: Annotated[
        int | None,
        About(
            "Visits that must find a change before it is notified.",
            least=2,
            most=MAX_PATIENCE_VISITS,
            unit="visits",
        ),
    ] = None
    hours: Annotated[
        str | None,
        About(
            "Notify only at these times, such as Mon-Fri 08:00-18:00; what comes at others waits.",
            least=1,
            most=MAX_HOURS,
            unit="characters",
        ),
    ] = None
    max_per_day: Annotated[
        int | None,
        About(
            "Notify at most so often on a day; what comes after is sent together at its end.",
            least=1,
            most=MAX_PER_DAY,
            unit="notifications",
        ),
    ] = None
    timezone: Annotated[
        str | None,
        About(
            "Time zone of the hours and days, such as Europe/Berlin; by default UTC.",
            least=1,
            most=MAX_NAME,
            unit="characters",
        ),
    ] = None
    ignore_noise: Annotated[
        bool, About("Do not notify of sentences in which only numbers, times, ids or form changed.")
    ] = False
    notify_moves: Annotated[
        bool, About("Notify of sentences that only moved, with the keyword *.")
    ] = False
    notify_dropped: Annotated[
        bool, About("Notify of entries that new ones pushed off the end of a list, too.")
    ] = False
    scope: Scope = "sentence"
    enable_stemming: Annotated[
        bool, About("Match other forms of a word, in languages with a stemmer.")
    ] = False
    filter_stopwords: Annotated[bool, About("Ignore stop words in keywords.")] = False
    ignore_case: Annotated[bool, About("Match upper and lower case alike.")] = False
    snippet_offset: Annotated[
        int,
        About(
            "Characters of context on each side of a snippet.",
            least=0,
            most=MAX_SNIPPET_OFFSET,
            unit="characters",
        ),
    ] = 50
    max_failures: Annotated[
        int | None,
        About(
            "Failures in a row after which the subscription ends.",
            least=1,
            most=1_000_000,
            unit="failures",
            zero="never",
        ),
    ] = None
    notify_failures: Annotated[
        bool,
        About(
            "Notify when the document cannot be read, its part is lost, or it is empty or only "
            "leads elsewhere, and when that ends."
        ),
    ] = False
    failing_after: Annotated[
        int,
        About(
            "Failures in a row after which it counts as failing.",
            least=1,
            most=MAX_FAILING_AFTER,
            unit="failures",
        ),
    ] = 1
    lease: Annotated[
        int | None,
        About(
            "Seconds after which the subscription ends unless it is asked for again.",
            least=10,
            most=MAX_INTERVAL,
            unit="seconds",
        ),
    ] = None
    tags: Tags = ()
    when: Annotated[
        Conditions, About("Notify only when the number of the view does this.", nested=True)
    ] = NO_CONDITIONS
    crawl: Annotated[
        CrawlOptions | None, About("Cover the pages that the document links to.", nested=True)
    ] = None
    rule: Annotated[
        str | None,
        About(
            "Notify only if a language model finds that this rule in plain words wants it.",
            least=1,
            most=MAX_RULE,
            unit="characters",
        ),
    ] = None
    summary: Annotated[bool, About("Let a language model summarize what changed.")] = False
    summary_wish: Annotated[
        str | None,
        About(
            "How the summary is to be, such as: as a table of prices; by default one sentence.",
            least=1,
            most=MAX_WISH,
            unit="characters",
        ),
    ] = None
    summary_language: Annotated[
        str | None,
        About(
            "Language of the summary, such as German or de; by default that of the page.",
            least=1,
            most=40,
            unit="characters",
        ),
    ] = None
    hold_unjudged: Annotated[
        int | None,
        About(
            "Seconds for which a notification waits if it cannot be judged now; by default it is "
            "sent at once, and says so.",
            least=1,
            most=MAX_HELD,
            unit="seconds",
        ),
    ] = None


@dataclass(frozen=True, slots=True)
class EarlierView:
    """A view (its id) of a subscription ``until`` its replacement."""

    view: Id
    until: Time


@dataclass(frozen=True, slots=True)
class PausedTime:
    """A pause of a subscription ``since`` a time, ``until`` another; 0 while paused."""

    since: Time
    until: Time = 0


@dataclass(frozen=True, slots=True)
class Subscription:
    """A client's subscription to the changes of a document, or of several pages.

    ``document_url`` is the URL as sent by the client, ``url`` its canonical form; the receiver's
    URL is canonical, too. ``rotation`` counts the changes of the secret, ``rotated`` is the time of
    the last. A ``paused`` subscription gets no notifications of changes. ``view_id`` is the id of
    the view in its options, ``earlier_views`` are the last views before, oldest first. A
    subscription to several pages (``pages:…``) has no ``watch``.

    A subscription with ``coverage`` follows from the crawl's: its ``document_url`` is the crawl's.
    The links of the page have been asked for since ``links_since``, 0 if nobody asks for them.

    The visits of a page count by the broker's times of its requests: from ``asked`` on (0 if the
    same as ``created``), except in its ``pauses`` of the last hours, until ``ended`` (0
    before). It was ``stopped`` at a time, by a Cancel that can be undone for a minute; 0 if not.

    No other present subscription has the same manager, URL, receiver and ``name``.
    """

    id: Id
    watch: Id
    manager: Name
    document_url: str
    url: Document
    receiver: Receiver
    keywords: tuple[str, ...]
    options: Options
    created: Time
    rotation: Count = 0
    rotated: Time = 0
    paused: bool = False
    view_id: Id = ""
    earlier_views: tuple[EarlierView, ...] = ()
    coverage: Annotated[Coverage | None, About(nested=True)] = None
    links_since: Time = 0
    asked: Time = 0
    pauses: tuple[PausedTime, ...] = ()
    ended: Time = 0
    name: SubscriptionName = ""
    stopped: Time = 0

    @property
    def undo_until(self) -> int | None:
        """The time (epoch ms) until which its stop can be undone; None if it is not stopped."""
        return self.stopped + UNDO_MS if self.stopped else None

    @property
    def stays_paused(self) -> bool:
        """Whether it is paused, and not only by its stop."""
        since = self.pauses[-1].since if self.pauses else 0
        return self.paused and not (self.stopped and since == self.stopped)
