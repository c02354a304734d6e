"""Decisions of the register, each with the watch that results."""

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

    Its page is visited at ``check`` (epoch ms) if the client asked for that, 0 if not.
    """

    request_id: str
    subscription: Subscription
    url: str
    watch: Watch | None
    at: Time
    check: Time = 0


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
    """A request was refused; ``code`` is that of the REST answer.

    ``faults`` are all fields that are wrong; the code and the detail are those of the first.
    ``subscription`` is the one that there is already, where that is why.
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
    """A crawl covers a page (``since``, epoch ms), or covers it in another way now."""

    coverage: Coverage
    manager: Name
    url: str
    watch: Watch | None
    at: Time
    since: Time


@dataclass(frozen=True, slots=True)
class PageRemoved:
    """A crawl watches a page no longer.

    It did ``since`` a time (epoch ms) ``until`` another, or until now if that is 0; it never did
    if ``since`` is 0.
    If ``mirror_of`` is set, the page with that URL has nearly the same text and stands for it.
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
