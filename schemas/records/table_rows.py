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
    """The last decided request of one ``subscription-requests`` partition.

    ``timestamp`` (epoch ms) is the latest of any. A topic that was created again, copied to
    another cluster or cut short has used offsets again, but with later times.
    """

    partition: int
    offset: int
    timestamp: int


@dataclass(frozen=True, slots=True)
class RequestAnswer:
    """The answer to a request; ``code`` is that of the REST answer, 0 if it was granted.

    ``action`` is the name of the request's record.
    """

    request_id: str
    action: str
    code: int
    subscription: str


@dataclass(frozen=True, slots=True)
class Ending:
    """A subscription that a change has ended, by the change's id, and that is still notified."""

    change: str
    subscription: Subscription


@dataclass(frozen=True, slots=True)
class OpenNotices:
    """The notice to a subscription of a state that has not ended: ``failing``, ``lost``."""

    subscription: str
    view: str
    statuses: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Registration:
    """Everything that the register knows about a (manager, document, receiver, name).

    ``subscription`` is None while there is none; ``applied`` and ``answers``
    make a replayed or repeated request find its first answer. ``at`` is the time of the last
    decision, ``changed`` that of the last request that began or changed the subscription
    (epoch ms). ``ending`` is the subscription that ended last until its end is published.
    ``notices`` are those that the subscription was notified of and have not ended. ``ended`` are
    the subscriptions that ended in the last hours: what was seen before is still for them.
    ``check`` is the time of the last visit that was asked for (epoch ms).
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


@dataclass(frozen=True, slots=True)
class NotifiedThrough:
    """The progress of matching the changes of a URL.

    Of ``change``, all subscriptions up to this one, by age, are notified; ``created`` (epoch
    ms) is that of the subscription. ``finished`` are the latest that are matched to their end.
    """

    change: str = ""
    created: int = 0
    subscription: str = ""
    finished: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Scheduled:
    """The watch of a URL, and since when (epoch ms) it has been due.

    ``rendered`` says whether a view of it was ever rendered, ``check`` when the last visit was or
    is due that a client asked for (epoch ms).
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
    """A notification that waits for its next attempt, at ``due`` (epoch ms) or later.

    ``place`` is the offset of its notification, by which those of one client
    and document keep their order. ``redelivery`` is the offset of the command
    that asked for it now, or again, None where nobody did. ``status`` is what the last attempt
    was answered with, None without an answer. ``held`` is the time (epoch ms) that it
    waits for together with others, None if it does not. ``ended`` is when it had ended before
    it was asked for again (epoch ms), 0 if it had not.
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

    ``last`` are the ids of the last of them, so that one that is handled again counts once.
    """

    until: int
    sent: int
    last: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class FailingClient:
    """A receiver that has only failed a manager since a time (epoch ms), and whether it is gone.

    ``last`` is when it failed last (epoch ms). Times in which nothing was sent to it do not
    count: ``since`` moves on by them.
    """

    since: int
    gone: bool
    last: int


@dataclass(frozen=True, slots=True)
class Proof:
    """Whether a receiver has proved that it wants the notifications of a manager.

    ``confirmed`` is when it answered a challenge last (epoch ms), 0 if it never has. While it
    is being challenged: ``since`` when (epoch ms), how many were ``made``, for how long (ms) we
    have ``put_off`` others, when the next is ``due``, and why the last one failed; otherwise
    ``due`` is 0.
    """

    confirmed: int
    since: int
    made: int
    put_off: int
    due: int
    reason: str


@dataclass(frozen=True, slots=True)
class GrantedChallenge:
    """A challenge of a manager that was granted ``at`` (epoch ms); ``id`` is a content hash."""

    at: int
    manager: str
    host: str
    id: str


@dataclass(frozen=True, slots=True)
class GrantedChallenges:
    """The challenges that a manager was granted lately, or those that were made to an address."""

    granted: tuple[GrantedChallenge, ...]


@dataclass(frozen=True, slots=True)
class WaitingChange:
    """The edits of a change that wait to stand, found at so many ``visits``."""

    change: DocumentChanged
    visits: int


@dataclass(frozen=True, slots=True)
class Waiting:
    """The changes that wait to stand for the subscriptions of a view with the same patience.

    ``slot`` and ``part`` are those of the last change that was taken in, ``visited`` is the slot of
    the last visit that was counted. The rest is as in ChangesWaiting.
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
    """A subscription that crawls, in the table of crawl."""

    subscription: Subscription


@dataclass(frozen=True, slots=True)
class CrawledPage:
    """A page that a crawl covers, with what was found on it when it was last read.

    ``links`` are those that the crawl may follow, ``signature`` is that of the text.
    ``mirror_of`` is the page that stands for it, empty if it is watched itself; ``read_at``
    (epoch ms) is when its links were found last, 0 if they never were, and ``since`` when they
    were first since it is watched.
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
