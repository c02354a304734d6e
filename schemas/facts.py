"""Every fact and command that travels on a topic, as frozen dataclasses.

Each class is one Avro record of the same name and fields: ``make schemas`` writes them to
``avro``. ``kinds`` says what the values may be, ``validity`` what concerns several fields,
and ``wire`` encodes. Times and slots are epoch milliseconds, intervals are seconds, ids are
hexadecimal content hashes.
"""

from dataclasses import dataclass
from typing import Annotated

from schemas.fields import About
from schemas.kinds import (
    MAX_INTERVAL,
    MAX_NAME,
    MAX_SNIPPET_OFFSET,
    Count,
    DiffEvent,
    GivenUrl,
    Id,
    Name,
    NotificationStatus,
    Seconds,
    Statuses,
    Text,
    Time,
    Url,
)

# --- shared parts ---------------------------------------------------------


@dataclass(frozen=True, slots=True)
class View:
    """How a fetched page is read: the part of a subscription's options that says so.

    Subscriptions with the same view share its snapshots and changes. A view is compared and
    hashed in the canonical form that ``streams.core.views`` gives it.
    """

    content_type: Name | None = None
    on_status: Statuses = ()


@dataclass(frozen=True, slots=True)
class WatchedView:
    """A view that subscriptions of a document have; ``id`` is empty for the default one.

    ``max_failures`` is the smallest number of failures in a row that a subscription allows by
    itself, None if none has a limit; ``by_default`` says that one leaves it to the deployment.
    With ``notices`` one is notified when the document cannot be read, and when it can again.
    """

    id: Id = ""
    view: View = View()
    max_failures: Count | None = None
    by_default: bool = True
    notices: bool = False


DEFAULT_VIEWS = (WatchedView(),)


@dataclass(frozen=True, slots=True)
class Watch:
    """How a document is fetched: one watch per URL, however many subscriptions.

    ``id`` is that of the subscription that began the watch. It is ``paused`` while all its
    subscriptions are; the document is not fetched then. Each fetch is read once for each of
    the ``views``. ``managers`` are those of the subscriptions that are not paused, four at
    most, each by a short hash: fetch serves managers in turn.
    """

    id: Id
    interval: Seconds
    views: tuple[WatchedView, ...] = DEFAULT_VIEWS
    paused: bool = False
    managers: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Receiver:
    """Who is notified: the webhook at ``client_url``, or the reader of a ``session``.

    Exactly one of the two is set; the register refuses requests that say otherwise.
    """

    client_url: Url | None = None
    session: Name | None = None


@dataclass(frozen=True, slots=True)
class Options:
    """What a client chooses for its subscription.

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
    interval: Annotated[
        int, About("Seconds between fetches.", least=1, most=MAX_INTERVAL, unit="seconds")
    ] = 600
    ignore_added: Annotated[bool, About("Do not notify of added passages.")] = False
    ignore_removed: Annotated[bool, About("Do not notify of removed passages.")] = False
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
        bool, About("Notify when the document cannot be read, and when it can be again.")
    ] = False
    lease: Annotated[
        int | None,
        About(
            "Seconds after which the subscription ends unless it is asked for again.",
            least=10,
            most=MAX_INTERVAL,
            unit="seconds",
        ),
    ] = None


@dataclass(frozen=True, slots=True)
class Subscription:
    """One client's subscription to the changes of one document.

    ``document_url`` is the URL as the client sent it, ``url`` its canonical form; the
    receiver's URL is canonical, too. ``rotation`` counts how often the secret was changed,
    ``rotated`` is when it was last changed. While it is ``paused``, the subscription gets no
    notifications of changes. ``view`` is the id of the view that its options describe.
    """

    id: Id
    watch: Id
    manager: Name
    document_url: str
    url: Url
    receiver: Receiver
    keywords: tuple[str, ...]
    options: Options
    created: Time
    rotation: Count = 0
    rotated: Time = 0
    paused: bool = False
    view: Id = ""


@dataclass(frozen=True, slots=True)
class Due:
    """One document to fetch for the due time ``slot``, and to read in each of the views.

    ``managers`` are those of its watch. The next slot comes ``interval`` later; it is None
    for the first slot of a watch and for the first after a pause, which no earlier failure
    postpones.
    """

    url: Url
    watch: Id
    slot: Time
    views: tuple[WatchedView, ...] = DEFAULT_VIEWS
    managers: tuple[str, ...] = ()
    interval: Seconds | None = None


MAX_CONTEXT = 200
"""Characters of context on each side of a passage, at most."""


@dataclass(frozen=True, slots=True)
class Passage:
    """A run of whole words of a snapshot, with the text before and after it.

    ``start`` is the character offset of ``text`` in the snapshot; ``before`` and ``after``
    hold at most MAX_CONTEXT characters each.
    """

    text: str
    start: Count
    before: str
    after: str


@dataclass(frozen=True, slots=True)
class Hunk:
    """What was removed, added, or both, in one place of a document."""

    removed: Passage | None
    added: Passage | None


@dataclass(frozen=True, slots=True)
class Diff:
    """One entry of a notification: a passage that one keyword matches."""

    event: DiffEvent
    keyword: str
    text: str
    snippet: str


# --- subscription-requests: commands --------------------------------------


@dataclass(frozen=True, slots=True)
class SubscriptionRequest:
    """What every request of a client names: the document and the receiver of a subscription."""

    document_url: str
    receiver: Receiver
    request_id: str | None = None
    manager: str = "default"


@dataclass(frozen=True, slots=True, kw_only=True)
class Subscribe(SubscriptionRequest):
    """Ask for notifications of changes; answered by Subscribed or Rejected.

    With ``replace`` an existing subscription of this receiver gets the new keywords and
    options; without it, the request is refused.

    >>> receiver = Receiver("https://client.example/hook")
    >>> request = Subscribe("https://example.org/", receiver, keywords=("argus",))
    """

    keywords: tuple[str, ...]
    options: Options = Options()
    replace: bool = False


@dataclass(frozen=True, slots=True)
class Cancel(SubscriptionRequest):
    """End a subscription; answered by Cancelled or Rejected."""


@dataclass(frozen=True, slots=True)
class Rotate(SubscriptionRequest):
    """Ask for a new secret for a webhook; answered by Subscribed or Rejected."""


@dataclass(frozen=True, slots=True)
class Pause(SubscriptionRequest):
    """Stop notifications until a Resume; answered by Subscribed or Rejected."""


@dataclass(frozen=True, slots=True)
class Resume(SubscriptionRequest):
    """End a pause; answered by Subscribed or Rejected."""


@dataclass(frozen=True, slots=True)
class Test(SubscriptionRequest):
    """Ask for a test notification; answered by Subscribed or Rejected."""


@dataclass(frozen=True, slots=True)
class Expire:
    """End one subscription because its receiver is gone or its lease has ended.

    ``renewed`` is when the lease was renewed last; if that is no longer so, nothing ends.
    """

    url: Url
    subscription: Id
    reason: Text
    renewed: Time | None = None


@dataclass(frozen=True, slots=True)
class StateWatches:
    """State the watches of one partition again, so that schedule can compare.

    Those of URLs with a ``url_hash`` from ``first`` to ``last``.
    """

    first: Count
    last: Count


# --- subscriptions: facts, each with the watch that results ---------------


@dataclass(frozen=True, slots=True)
class Subscribed:
    """A subscription began, or was changed as its client asked."""

    request_id: str
    subscription: Subscription
    url: str
    watch: Watch | None
    at: Time


@dataclass(frozen=True, slots=True)
class Cancelled:
    """A subscription ended because its client asked for it."""

    request_id: str
    subscription: Id
    manager: Name
    url: str
    watch: Watch | None
    at: Time


@dataclass(frozen=True, slots=True)
class Rejected:
    """A request was refused; ``code`` is that of the REST answer."""

    request_id: str
    manager: str
    code: int
    detail: str
    url: str
    watch: Watch | None
    at: Time


@dataclass(frozen=True, slots=True)
class Expired:
    """A subscription ended because its document or receiver is gone, or its lease over."""

    subscription: Id
    manager: Name
    reason: Text
    url: str
    watch: Watch | None
    at: Time


@dataclass(frozen=True, slots=True)
class StatedWatch:
    """The watch that the register has for a URL."""

    url: Url
    watch: Watch


@dataclass(frozen=True, slots=True)
class WatchesStated:
    """All watches of one partition whose URLs have a ``url_hash`` from ``first`` to ``last``.

    URLs whose watches began after ``at`` may be missing.
    """

    first: Count
    last: Count
    watches: tuple[StatedWatch, ...]
    at: Time


# --- ticks and fetches: commands ------------------------------------------


@dataclass(frozen=True, slots=True)
class Tick:
    """The time up to which a partition's due fetches are to be commanded."""

    time: Time


@dataclass(frozen=True, slots=True)
class FetchDue:
    """Everything that fell due for one ``fetches`` partition at one tick."""

    due: tuple[Due, ...]


@dataclass(frozen=True, slots=True)
class Forget:
    """Delete what is kept of a document that nobody watches any more."""

    url: Url
    watch: Id


# --- changes: facts -------------------------------------------------------


@dataclass(frozen=True, slots=True)
class DocumentChanged:
    """Two snapshots of a document in one view differ; ``part`` counts from 0."""

    id: Id
    url: Url
    watch: Id
    slot: Time
    part: Count
    content_type: Text
    language: Id
    hunks: tuple[Hunk, ...]
    at: Time
    view: Id = ""


@dataclass(frozen=True, slots=True)
class DocumentUnreachable:
    """A document could not be read in a view so often that its subscriptions end.

    Those end that allow ``failures`` in a row or fewer, ``max_failures`` if they leave it to
    the deployment. ``content_type`` is what the document was last read as, or was to be read
    as; empty if neither is known.
    """

    id: Id
    url: Url
    watch: Id
    slot: Time
    content_type: Text
    reason: Text
    at: Time
    view: Id = ""
    failures: Count = 0
    max_failures: Count = 0


@dataclass(frozen=True, slots=True)
class DocumentFailing:
    """A document could not be read in a view for the first time since it was last read.

    Said only if a subscription asks for it. ``content_type`` is as in DocumentUnreachable.
    """

    id: Id
    url: Url
    watch: Id
    slot: Time
    content_type: Text
    reason: Text
    at: Time
    view: Id = ""


@dataclass(frozen=True, slots=True)
class DocumentRecovered:
    """A document that could not be read in a view can be read again; said only if asked for."""

    id: Id
    url: Url
    watch: Id
    slot: Time
    content_type: Text
    at: Time
    view: Id = ""


# --- notifications and deliveries: facts ----------------------------------


@dataclass(frozen=True, slots=True)
class Notification:
    """What one subscription gets of one change; ``url`` is the one that its client sent.

    ``truncated`` says that diffs were left out to keep the body within its limit, or that
    the change has more words than are looked at.
    ``rotation``, ``rotated`` and ``watch`` are those of the subscription when it was matched.
    A ``test`` has no diffs.
    """

    id: Id
    change: Id
    subscription: Id
    manager: Name
    receiver: Receiver
    status: NotificationStatus
    url: GivenUrl
    content_type: Text
    diffs: tuple[Diff, ...]
    truncated: bool
    at: Time
    rotation: Count
    rotated: Time
    watch: Id
    test: bool


@dataclass(frozen=True, slots=True)
class Delivered:
    """A receiver acknowledged a notification with ``status``, a 2xx."""

    notification: Id
    subscription: Id
    manager: Name
    client_url: Url
    attempts: Count
    status: int
    at: Time


@dataclass(frozen=True, slots=True)
class DeliveryFailed:
    """A notification was given up after ``attempts`` attempts.

    ``status`` is what the last one was answered with, None without an answer.
    """

    notification: Id
    subscription: Id
    manager: Name
    client_url: Url
    attempts: Count
    reason: Text
    at: Time
    status: int | None = None


@dataclass(frozen=True, slots=True)
class ClientGone:
    """A receiver has only failed for days when it was sent notifications for a manager."""

    manager: Name
    client_url: Url
    reason: Text
    at: Time


# --- attempts: commands ---------------------------------------------------


@dataclass(frozen=True, slots=True)
class Attempt:
    """POST a queued notification now, if ``made`` attempts were made before."""

    notification: Id
    made: Count


@dataclass(frozen=True, slots=True)
class Redeliver:
    """POST a notification again, whatever became of it before."""

    notification: Notification


@dataclass(frozen=True, slots=True)
class Challenged:
    """The result of a challenge; without a ``reason`` its answer was right.

    If that is not the receiver's fault, because a budget is used up or we could not ask,
    ``again`` (epoch ms) is when the next may be sent, else 0.
    """

    manager: Name
    client_url: Url
    made: Count
    reason: Text
    again: Time
    at: Time


# --- challenges: commands -------------------------------------------------


@dataclass(frozen=True, slots=True)
class Challenge:
    """Ask a receiver whether it wants a manager's notifications.

    ``made`` challenges were sent before. One with an ``address`` is within the budgets of its
    manager, and is to be made to that address; a ``granted`` one within those of the address.
    ``id`` is that of its manager's grant, a content hash, which was made ``at`` (epoch ms).
    """

    manager: Name
    client_url: Url
    made: Count
    address: Name | None = None
    id: Id = ""
    at: Time = 0
    granted: bool = False


# --- deployment: facts ----------------------------------------------------


@dataclass(frozen=True, slots=True)
class StoreClaimed:
    """All workers of this deployment use one store; ``place`` says where it is.

    ``replaces`` says that it took another one's place on purpose.
    """

    store: str
    place: str
    at: Time
    replaces: bool


@dataclass(frozen=True, slots=True)
class KeyClaimed:
    """Webhooks are signed with the key of this fingerprint.

    ``replaces`` says that it took another one's place on purpose.
    """

    fingerprint: str
    replaces: bool
    at: Time


ClientRequest = Subscribe | Cancel | Rotate | Pause | Resume | Test
Request = ClientRequest | Expire
SubscriptionFact = Subscribed | Cancelled | Rejected | Expired
FailureNotice = DocumentFailing | DocumentRecovered
Change = DocumentChanged | DocumentUnreachable | FailureNotice
Delivery = Delivered | DeliveryFailed | ClientGone
DeliveryCommand = Attempt | Redeliver | Challenged | Challenge
Fact = (
    Request
    | StateWatches
    | SubscriptionFact
    | WatchesStated
    | Tick
    | FetchDue
    | Forget
    | Change
    | Notification
    | Delivery
    | DeliveryCommand
    | StoreClaimed
    | KeyClaimed
)
