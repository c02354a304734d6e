"""The rows of the agents' tables; each is an Avro record, as facts are."""

from dataclasses import dataclass

from schemas.records.changes import DocumentChanged
from schemas.records.crawls import Coverage
from schemas.records.judgements import HeldJudgement, Judgement, ModelAnswer, ModelUse
from schemas.records.notifications import Notification
from schemas.records.subscriptions import Subscription
from schemas.records.watches import Watch


@dataclass(frozen=True, slots=True)
class Applied:
    """The last decided request of a partition of ``subscription-requests``.

    ``timestamp`` (epoch ms) is the latest of any. A topic created again, copied to another cluster
    or cut short repeats offsets, but with later times.
    """

    partition: int
    offset: int
    timestamp: int


@dataclass(frozen=True, slots=True)
class RequestAnswer:
    """The answer to a request; ``code`` is REST's code, 0 if granted.

    ``action`` is the name of the request's record.
    """

    request_id: str
    action: str
    code: int
    subscription: str


@dataclass(frozen=True, slots=True)
class Ending:
    """A subscription ended by a change, by the change's id, and still notified."""

    change: str
    subscription: Subscription


@dataclass(frozen=True, slots=True)
class OpenNotices:
    """The notice to a subscription of a lasting state: ``failing``, ``lost``."""

    subscription: str
    view: str
    statuses: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Registration:
    """The state of a (manager, document, receiver, name) in the register.

    ``subscription`` is None while there is none; ``applied`` and ``answers`` make a replayed or
    repeated request find its first answer. ``at`` is the time of the last decision, ``changed`` of
    the last request which began or changed the subscription (epoch ms). ``ending`` is the
    subscription ended last until its end is published. ``notices`` are the sent notices of the
    subscription which still hold. ``ended`` are the subscriptions ended in the last hours: earlier
    visits are still for them. ``check`` is the time of the last requested visit (epoch ms).
    ``manager`` is that of a registration without a subscription, empty in rows of earlier releases.
    """

    subscription: Subscription | None
    applied: tuple[Applied, ...]
    answers: tuple[RequestAnswer, ...]
    at: int
    changed: int = 0
    ending: Ending | None = None
    notices: OpenNotices | None = None
    ended: tuple[Subscription, ...] = ()
    check: int = 0
    manager: str = ""


@dataclass(frozen=True, slots=True)
class NotifiedThrough:
    """The progress of matching the changes of a URL.

    Of ``change``, all subscriptions up to this subscription, by age, are notified; ``created``
    (epoch ms) is the subscription's. ``finished`` are the latest changes matched to their end.
    """

    change: str = ""
    created: int = 0
    subscription: str = ""
    finished: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Scheduled:
    """The watch of a URL, and the begin (epoch ms) of its due time.

    ``rendered`` says whether a view was ever rendered, ``check`` is the time of the last requested
    visit (epoch ms).
    """

    url: str
    watch: Watch
    since: int
    rendered: bool = False
    check: int = 0


@dataclass(frozen=True, slots=True)
class TickedThrough:
    """The time (epoch ms) up to which a partition's due fetches were commanded."""

    time: int


@dataclass(frozen=True, slots=True)
class Queued:
    """A notification in wait for its next attempt, at ``due`` (epoch ms) or later.

    ``place`` is the offset of its notification, which keeps the order of a client and document.
    ``redelivery`` is the offset of the command to send now, or again, None without a command.
    ``status`` is the status of the last answer, None without an answer. ``held`` is the end (epoch
    ms) of its wait together with others, None without a wait. ``ended`` is the time of its end
    before a redelivery (epoch ms), 0 if there was none.
    """

    notification: Notification
    attempts: int
    due: int
    place: int
    redelivery: int | None
    status: int | None = None
    held: int | None = None
    ended: int = 0


@dataclass(frozen=True, slots=True)
class DayCount:
    """The count of notifications sent at once to a subscription on a day, ``until`` its end (ms).

    ``last`` are the last ids, so a repeated id counts once.
    """

    until: int
    sent: int
    last: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class FailingClient:
    """A receiver failing for a manager since a time (epoch ms), and whether gone.

    ``last`` is the time of the last failure (epoch ms). Times without a delivery do not count:
    ``since`` moves on by them.
    """

    since: int
    gone: bool
    last: int


@dataclass(frozen=True, slots=True)
class Proof:
    """Whether a receiver has consented to the notifications of a manager.

    ``confirmed`` is the time of its last answer to a challenge (epoch ms), 0 if never. During
    challenges: ``since`` their begin (epoch ms), the number ``made``, the time (ms) ``put_off`` by
    others, the time ``due`` of the next, and the reason of the last failure; otherwise ``due`` is
    0.
    """

    confirmed: int
    since: int
    made: int
    put_off: int
    due: int
    reason: str


@dataclass(frozen=True, slots=True)
class GrantedChallenge:
    """A challenge granted to a manager ``at`` (epoch ms); ``id`` is a content hash."""

    at: int
    manager: str
    host: str
    id: str


@dataclass(frozen=True, slots=True)
class GrantedChallenges:
    """The recent challenges granted to a manager, or made to an address."""

    granted: tuple[GrantedChallenge, ...]


@dataclass(frozen=True, slots=True)
class WaitingChange:
    """The waiting edits of a change, found at so many ``visits``."""

    change: DocumentChanged
    visits: int


@dataclass(frozen=True, slots=True)
class Waiting:
    """The waiting changes for the subscriptions of a view with the same patience.

    ``slot`` and ``part`` are from the last change, ``visited`` is the slot of the last counted
    visit. The rest is as in ChangesWaiting.
    """

    slot: int = 0
    part: int = 0
    visited: int = 0
    changes: tuple[WaitingChange, ...] = ()
    dropped: int = 0
    reason: str = ""
    dropped_at: int = 0


@dataclass(frozen=True, slots=True)
class Crawl:
    """A crawl subscription, in the table of crawl."""

    subscription: Subscription


@dataclass(frozen=True, slots=True)
class CrawledPage:
    """A page of a crawl, with the results of its last reading.

    ``links`` are the links within the crawl, ``signature`` is the text's. ``mirror_of`` is the page
    in its place, empty if watched; ``read_at`` (epoch ms) is the last reading of its links, 0 if
    there was none, and ``since`` the first since the begin of its watch.
    """

    url: str
    coverage: Coverage
    read_at: int = 0
    links: tuple[str, ...] = ()
    sources: tuple[str, ...] = ()
    signature: str = ""
    mirror_of: str = ""
    since: int = 0


State = (
    Registration
    | NotifiedThrough
    | Waiting
    | Scheduled
    | TickedThrough
    | Queued
    | DayCount
    | FailingClient
    | Proof
    | GrantedChallenges
    | Crawl
    | CrawledPage
    | ModelAnswer
    | Judgement
    | HeldJudgement
    | ModelUse
)
