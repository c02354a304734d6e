"""The commands on ``subscription-requests``: requests of clients and agents to the register."""

from dataclasses import dataclass
from typing import Annotated

from schemas.records.crawls import Coverage, Uncover
from schemas.records.field_types import Document, Id, Name, Text, Url
from schemas.records.fields import About
from schemas.records.names import SubscriptionName
from schemas.records.subscriptions import Options, Receiver, Subscription

MAX_BACKFILLED = 100
"""The most notifications of a backfill."""
MAX_MOMENT = 64
"""Characters of a time in RFC 3339."""


@dataclass(frozen=True, slots=True)
class SubscriptionRequest:
    """A request of a client, which names the document and the receiver of a subscription.

    A receiver with several to a document distinguishes them by ``name``.
    """

    document_url: str
    receiver: Receiver
    request_id: str | None = None
    manager: str = "default"
    name: SubscriptionName = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Subscribe(SubscriptionRequest):
    """Ask for notifications of changes; answered by Subscribed or Rejected.

    With ``replace`` an existing subscription of this receiver and name gets the new keywords and
    options; without, the request is refused.

    >>> receiver = Receiver("https://client.example/hook")
    >>> request = Subscribe("https://example.org/", receiver, keywords=("argus",))
    """

    keywords: tuple[str, ...]
    options: Options = Options()
    replace: bool = False


@dataclass(frozen=True, slots=True)
class Cancel(SubscriptionRequest):
    """End a subscription; answered by Cancelled or Rejected.

    With ``undo`` the subscription is paused at once, and ends in a minute unless a Resume or a
    Subscribe keeps it; answered by Subscribed, and by Cancelled at its end.
    """

    undo: Annotated[
        bool, About("End it in a minute; until then a Resume or a Subscribe keeps it.")
    ] = False


@dataclass(frozen=True, slots=True)
class Rotate(SubscriptionRequest):
    """Ask for a new secret for a webhook; answered by Subscribed or Rejected."""


@dataclass(frozen=True, slots=True)
class Pause(SubscriptionRequest):
    """Stop notifications until a Resume; answered by Subscribed or Rejected."""


@dataclass(frozen=True, slots=True)
class Resume(SubscriptionRequest):
    """End a pause; answered by Subscribed or Rejected."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Rename(SubscriptionRequest):
    """Give a subscription another name; answered by Subscribed or Rejected.

    Its id and all its lists stay. An empty ``new_name`` removes its name.
    """

    new_name: SubscriptionName | None = None


@dataclass(frozen=True, slots=True)
class Test(SubscriptionRequest):
    """Ask for a test notification; answered by Subscribed or Rejected."""


@dataclass(frozen=True, slots=True)
class Check(SubscriptionRequest):
    """Ask for a visit as soon as allowed; answered by Subscribed or Rejected."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Backfill(SubscriptionRequest):
    """Ask for notifications of kept changes; answered by Subscribed or Rejected.

    Of those from ``since`` on and before ``until``, both RFC 3339, or of all, the newest.
    """

    since: Annotated[str, About("Only changes from this time on.", most=MAX_MOMENT)] = ""
    until: Annotated[str, About("Only changes before this time.", most=MAX_MOMENT)] = ""
    limit: Annotated[
        int,
        About("Notifications at most.", least=1, most=MAX_BACKFILLED, unit="notifications"),
    ] = MAX_BACKFILLED


@dataclass(frozen=True, slots=True)
class Expire:
    """End a subscription because its receiver is gone.

    The end of a subscription to several pages finds its partition by ``manager`` and ``receiver``.
    """

    url: Document
    subscription: Id
    reason: Text
    manager: Name = "default"
    receiver: Receiver | None = None


@dataclass(frozen=True, slots=True)
class Cover:
    """Watch a page for a crawl.

    ``is_news`` says whether an already read page links to this page now.
    """

    url: Url
    coverage: Coverage
    subscription: Subscription
    is_news: bool = False


ClientRequest = Subscribe | Cancel | Rotate | Pause | Resume | Rename | Test | Check | Backfill


Request = ClientRequest | Expire | Cover | Uncover
