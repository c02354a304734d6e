"""Every fact and command that travels on a topic, as frozen dataclasses.

Each class has one Avro record of the same name and fields in this folder
(``Name.VERSION.avsc``); ``wire`` translates. Times and slots are epoch
milliseconds; intervals are seconds; ids are hexadecimal content hashes.
"""

from dataclasses import dataclass

# --- shared parts ---------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Watch:
    """How a document is fetched: one per URL, however many subscriptions.

    ``id`` is the subscription that began the watch. One that is ``paused``, because all
    its subscriptions are, is not fetched.
    """

    id: str
    interval: int
    content_type: str | None
    paused: bool = False


@dataclass(frozen=True, slots=True)
class Receiver:
    """Who is notified: the webhook at ``client_url``, or the reader of a ``session``.

    Exactly one of the two is set; the register refuses requests that say otherwise.
    """

    client_url: str | None = None
    session: str | None = None


@dataclass(frozen=True, slots=True)
class Options:
    """What a client chooses for its subscription.

    ``content_type`` replaces the one that the document's server names; ``interval`` is in
    seconds. ``snippet_offset`` is the number of characters of a snippet on each side of a
    match.
    """

    content_type: str | None = None
    interval: int = 600
    ignore_added: bool = False
    ignore_removed: bool = False
    enable_stemming: bool = False
    filter_stopwords: bool = False
    ignore_case: bool = False
    snippet_offset: int = 50


@dataclass(frozen=True, slots=True)
class Subscription:
    """One client's subscription to the changes of one document.

    ``document_url`` is the URL as the client sent it, ``url`` its canonical form, in which
    the receiver's URL is, too. ``rotation`` counts how often its secret was changed,
    ``rotated`` is when it was last changed. A ``paused`` one gets no notifications of
    changes.
    """

    id: str
    watch: str
    manager: str
    document_url: str
    url: str
    receiver: Receiver
    keywords: tuple[str, ...]
    options: Options
    created: int
    rotation: int = 0
    rotated: int = 0
    paused: bool = False


@dataclass(frozen=True, slots=True)
class Due:
    """One document to fetch for the due time ``slot``."""

    url: str
    watch: str
    slot: int
    content_type: str | None


MAX_CONTEXT = 200
"""Characters of context on each side of a passage, at most."""


@dataclass(frozen=True, slots=True)
class Passage:
    """A run of whole words of a snapshot, with the text on both sides of it.

    ``start`` is the character offset of ``text`` in the snapshot; ``before``
    and ``after`` hold at most MAX_CONTEXT characters each.
    """

    text: str
    start: int
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

    event: str
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
    options; without, the request is refused.
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
    """End one subscription because its receiver is gone."""

    url: str
    subscription: str
    reason: str


# --- subscriptions: facts, each with the watch that results ---------------


@dataclass(frozen=True, slots=True)
class Subscribed:
    """A subscription began, or is now as its client has asked for."""

    request_id: str
    subscription: Subscription
    url: str
    watch: Watch | None
    at: int


@dataclass(frozen=True, slots=True)
class Cancelled:
    """A subscription ended because its client asked for it."""

    request_id: str
    subscription: str
    manager: str
    url: str
    watch: Watch | None
    at: int


@dataclass(frozen=True, slots=True)
class Rejected:
    """A request was refused; ``code`` is that of the REST answer."""

    request_id: str
    code: int
    detail: str
    url: str
    watch: Watch | None
    at: int


@dataclass(frozen=True, slots=True)
class Expired:
    """A subscription ended by itself: its document or its receiver is gone."""

    subscription: str
    manager: str
    reason: str
    url: str
    watch: Watch | None
    at: int


# --- ticks and fetches: commands ------------------------------------------


@dataclass(frozen=True, slots=True)
class Tick:
    """The time that a partition's schedule is to be worked off to."""

    time: int


@dataclass(frozen=True, slots=True)
class FetchDue:
    """All that fell due for one ``fetches`` partition at one tick."""

    due: tuple[Due, ...]


@dataclass(frozen=True, slots=True)
class Forget:
    """Nobody watches this document any more: drop what is kept of it."""

    url: str
    watch: str


# --- changes: facts -------------------------------------------------------


@dataclass(frozen=True, slots=True)
class DocumentChanged:
    """Two snapshots of a document differ; ``part`` counts from 0."""

    id: str
    url: str
    watch: str
    slot: int
    part: int
    content_type: str
    language: str
    hunks: tuple[Hunk, ...]
    at: int


@dataclass(frozen=True, slots=True)
class DocumentUnreachable:
    """A document could not be read so often that its watch ends.

    ``content_type`` is what it was last read as, or was to be read as; empty where
    neither is known.
    """

    id: str
    url: str
    watch: str
    slot: int
    content_type: str
    reason: str
    at: int


# --- notifications and deliveries: facts ----------------------------------


@dataclass(frozen=True, slots=True)
class Notification:
    """What one subscription is told of one change; ``url`` as it was given.

    ``status`` is ``ok`` or ``timeout``; ``truncated`` says that diffs were
    left out to keep the body within its limit. ``rotation`` and ``rotated`` are
    those of the subscription when it was matched, ``watch`` is the one that it lived on.
    A ``test`` tells of no change.
    """

    id: str
    change: str
    subscription: str
    manager: str
    receiver: Receiver
    status: str
    url: str
    content_type: str
    diffs: tuple[Diff, ...]
    truncated: bool
    at: int
    rotation: int
    rotated: int
    watch: str
    test: bool


@dataclass(frozen=True, slots=True)
class Delivered:
    """A receiver acknowledged a notification with ``status``, a 2xx."""

    notification: str
    subscription: str
    manager: str
    client_url: str
    attempts: int
    status: int
    at: int


@dataclass(frozen=True, slots=True)
class DeliveryFailed:
    """A notification was given up after ``attempts`` attempts."""

    notification: str
    subscription: str
    manager: str
    client_url: str
    attempts: int
    reason: str
    at: int


@dataclass(frozen=True, slots=True)
class ClientGone:
    """A receiver answered 410, or has only failed for days.

    ``manager`` is that of the notification that found it out.
    """

    manager: str
    client_url: str
    reason: str
    at: int


# --- attempts: commands ---------------------------------------------------


@dataclass(frozen=True, slots=True)
class Attempt:
    """Have a queued notification POSTed now, if ``made`` attempts were made before."""

    notification: str
    made: int


@dataclass(frozen=True, slots=True)
class Redeliver:
    """Have a notification POSTed again, whatever came of it before."""

    notification: Notification


@dataclass(frozen=True, slots=True)
class Challenged:
    """What came of a challenge: an empty ``reason`` says that it was answered well.

    Where none was made because its host has had its share, ``again`` (epoch ms) is
    when the next may be, else 0.
    """

    client_url: str
    made: int
    reason: str
    again: int
    at: int


# --- challenges: commands -------------------------------------------------


@dataclass(frozen=True, slots=True)
class Challenge:
    """Have a receiver asked whether it wants to be told, if ``made`` were made before.

    One that is ``granted`` has its place among those of its host.
    """

    client_url: str
    made: int
    granted: bool = False


# --- deployment: facts ----------------------------------------------------


@dataclass(frozen=True, slots=True)
class StoreClaimed:
    """All workers of this deployment use one store; ``place`` says where it is."""

    store: str
    place: str
    at: int


@dataclass(frozen=True, slots=True)
class KeyClaimed:
    """Webhooks are signed with the key of this fingerprint.

    ``replaces`` says that it took another one's place on purpose.
    """

    fingerprint: str
    replaces: bool
    at: int


ClientRequest = Subscribe | Cancel | Rotate | Pause | Resume | Test
Request = ClientRequest | Expire
SubscriptionFact = Subscribed | Cancelled | Rejected | Expired
Change = DocumentChanged | DocumentUnreachable
Delivery = Delivered | DeliveryFailed | ClientGone
DeliveryCommand = Attempt | Redeliver | Challenged | Challenge
Fact = (
    Request
    | SubscriptionFact
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
