"""Decisions of the register, each with the resulting watch."""

from dataclasses import dataclass

from schemas.records.codes import Code
from schemas.records.crawls import Coverage
from schemas.records.faults import Fault, Refusal
from schemas.records.field_types import Id, Name, Text, Time
from schemas.records.subscriptions import Subscription
from schemas.records.watches import Watch


@dataclass(frozen=True, slots=True)
class Subscribed:
    """A subscription began, or was changed as its client asked.

    Its page is visited at ``check`` (epoch ms) if the client asked for a visit, 0 if not.
    """

    request_id: str
    subscription: Subscription
    url: str
    watch: Watch | None
    at: Time
    check: Time = 0


@dataclass(frozen=True, slots=True)
class Cancelled:
    """A subscription ended by its client."""

    request_id: str
    subscription: Id
    manager: Name
    url: str
    watch: Watch | None
    at: Time


@dataclass(frozen=True, slots=True)
class Rejected:
    """A request was refused; ``code`` is that of the REST answer.

    ``faults`` are all fields that are wrong; the code and the detail are those of the first.
    ``subscription`` is the existing subscription, as the reason.
    """

    request_id: str
    manager: str
    code: int
    detail: str
    url: str
    watch: Watch | None
    at: Time
    faults: tuple[Fault, ...] = ()
    subscription: Id = ""


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
class PageAdded:
    """A crawl covers a page (``since``, epoch ms), or in another way now."""

    coverage: Coverage
    manager: Name
    url: str
    watch: Watch | None
    at: Time
    since: Time


@dataclass(frozen=True, slots=True)
class PageRemoved:
    """A crawl watches a page no longer.

    The crawl covered the page ``since`` a time (epoch ms) ``until`` another, or until now if 0;
    never if ``since`` is 0. If ``mirror_of`` is set, the page with this URL has nearly the same
    text and stands for the mirror.
    """

    crawl: Id
    manager: Name
    reason: Text
    url: str
    watch: Watch | None
    at: Time
    since: Time
    mirror_of: str = ""
    until: Time = 0


SubscriptionFact = Subscribed | Cancelled | Rejected | Expired | PageAdded | PageRemoved


def refusal_in(fact: Rejected) -> Refusal:
    """Return why a request was refused."""
    return Refusal(Code(fact.code), fact.detail, fact.faults)
