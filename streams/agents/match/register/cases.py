"""A request to the register, with all facts for its decision.

A registration remembers the offset and time of the last applied request, so a replay changes
nothing, and the last answers, so a repeated request gets the same answer.
"""

from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import cached_property

from schemas.records.codes import Code
from schemas.records.requests import Cancel, ClientRequest, Rename, Subscribe
from schemas.records.subscriptions import Subscription
from schemas.records.table_rows import Applied, Registration, RequestAnswer
from streams.agents.match.register.registrations import NOTHING, Registrations
from streams.agents.match.register.requests import Target

MAX_ANSWERS = 32
"""The most answers remembered by a registration."""


@dataclass(frozen=True, slots=True)
class Origin:
    """The place at which a request was first read; ``timestamp`` in epoch ms."""

    partition: int
    offset: int
    timestamp: int


@dataclass(frozen=True)
class RequestCase:
    """A request to decide, with its request id set, and all facts for the decision.

    ``keywords`` are the valid ones of a Subscribe; ``registrations`` are all of its URL. ``key_of``
    returns the table key of a present subscription by its id. A page is visited every
    ``min_interval`` seconds at most.
    """

    request: ClientRequest
    target: Target
    origin: Origin
    keywords: tuple[str, ...]
    registrations: Registrations
    key_of: Callable[[str], bytes | None]
    min_interval: int = 0

    @property
    def at(self) -> int:
        """The time of the decision (epoch ms), never before an earlier decision of this URL."""
        return max(self.origin.timestamp, self.registrations.latest)

    @cached_property
    def known(self) -> Registration:
        """The registration before the request."""
        return self.registrations.get(self.target.key, NOTHING)

    @cached_property
    def new_key(self) -> bytes:
        """The table key of the registration after the request, changed by a Rename."""
        if not isinstance(self.request, Rename):
            return self.target.key
        return replace(self.target, name=self.request.new_name or "").key

    def by_id(self, subscription: str) -> Subscription | None:
        """Return a present subscription of its URL, under any name."""
        key = self.key_of(subscription)
        return None if key is None else self.registrations.get(key, NOTHING).subscription


def last_applied(case: RequestCase) -> Applied | None:
    """Return the last decided request of the same partition."""
    at = case.origin.partition
    return next((each for each in case.known.applied if each.partition == at), None)


def reused_offset(case: RequestCase) -> Applied | None:
    """Return the last request of a log with the same offset before; None for a new offset."""
    last, origin = last_applied(case), case.origin
    if last is None or origin.offset > last.offset or origin.timestamp <= last.timestamp:
        return None
    return last


def earlier_answer(case: RequestCase) -> RequestAnswer | None:
    """Return the earlier answer to the same request, unless the request is to be decided again.

    A client renews a lease with the same request: once the lease has ended, without a Cancel, the
    first answer would claim a lease already ended.
    """
    answer, request, current = noted_answer(case), case.request, case.known.subscription
    if answer is None or not isinstance(request, Subscribe) or request.options.lease is None:
        return answer
    if answer.code != Code.OK or (current is not None and current.id == answer.subscription):
        return answer
    cancelled = Cancel.__name__, answer.subscription
    others = ((each.action, each.subscription) for each in case.known.answers)
    return answer if cancelled in others else None


def noted_answer(case: RequestCase) -> RequestAnswer | None:
    """Return the last answer to a request with this id.

    A client may use an id for several kinds of requests, such as a Subscribe and its Cancel.
    """
    request_id, action = case.request.request_id, type(case.request).__name__
    for answer in case.known.answers:
        if (answer.request_id, answer.action) == (request_id, action):
            return answer
    return None


def remember_answer(known: Registration, case: RequestCase, answer: RequestAnswer) -> Registration:
    """Note the decision of a request in a registration."""
    last, origin = last_applied(case), case.origin
    # The clocks of two brokers differ: a time that went back would make a replay look new.
    latest = origin.timestamp if last is None else max(last.timestamp, origin.timestamp)
    applied = Applied(partition=origin.partition, offset=origin.offset, timestamp=latest)
    others = tuple(each for each in known.applied if each.partition != origin.partition)
    name = answer.request_id, answer.action
    earlier = tuple(each for each in known.answers if (each.request_id, each.action) != name)
    answers = (*earlier, answer)[-MAX_ANSWERS:]
    return replace(known, applied=(*others, applied), answers=answers)
