"""The register's decisions: who is subscribed to a document, and what results.

One writer per URL. A request that was decided once stays decided: each
registration keeps the offset of the last request applied to it, so that a
replay changes nothing, and its last answers, so that a repeated request gets
the answer it got before.
"""

from dataclasses import dataclass, replace

from schemas.facts import (
    Cancel,
    Cancelled,
    ClientRequest,
    Expired,
    Notification,
    Pause,
    Rejected,
    Resume,
    Rotate,
    Subscribe,
    Subscribed,
    Subscription,
    SubscriptionFact,
    Test,
    Watch,
)
from schemas.state import Applied, Registration, RequestAnswer
from streams.core.ids import content_id
from streams.core.matching.notifications import notification_of_test
from streams.core.register.registrations import NOTHING, Registrations
from streams.core.register.requests import CONFLICT, NO_SUCH_SUBSCRIPTION, Refusal, Target

ANSWERS = 32


@dataclass(frozen=True, slots=True)
class Origin:
    """Where a request was first seen; ``timestamp`` in epoch ms."""

    partition: int
    offset: int
    timestamp: int


@dataclass(frozen=True, slots=True)
class RequestCase:
    """A request to decide, with its request id set, and all that bears on it.

    ``keywords`` are the valid ones of a Subscribe; ``registrations`` are all of
    its URL, by ``row_key``.
    """

    request: ClientRequest
    target: Target
    origin: Origin
    keywords: tuple[str, ...]
    registrations: Registrations

    @property
    def at(self) -> int:
        """The time of the decision (epoch ms), never before an earlier one of this URL."""
        return max(self.origin.timestamp, self.registrations.latest)

    @property
    def key(self) -> bytes:
        """The table key of the registration that the request is about."""
        return row_key(self.target)


@dataclass(frozen=True, slots=True)
class Decision:
    """What a request brings about; None for what stays as it is, or is not told."""

    fact: SubscriptionFact | None
    put: tuple[bytes, Registration] | None = None
    told: Notification | None = None


def row_key(target: Target) -> bytes:
    """Give the table key of a registration: its URL, then who it is for."""
    who = content_id(target.manager, target.receiver.client_url, target.receiver.session)
    return f"{target.url}\0{who}".encode()


def decide(case: RequestCase) -> Decision:
    """Decide a request that passed its checks on all registrations of its URL."""
    known = case.registrations.get(case.key, NOTHING)
    if is_applied(known, case.origin):
        return Decision(None)
    repeated = _earlier_answer(known, case.request)
    answer = repeated or _answer(case, known)
    subscription, told = known.subscription, None
    if repeated is None and answer.code == 0:
        subscription = _resulting(case, answer)
        told = _told(case, subscription)
    changed = replace(known, subscription=subscription, at=case.at)
    after = _remember(changed, case.origin, answer)
    return Decision(_fact(case, answer, after), (case.key, after), told)


def expire(
    registrations: Registrations, key: bytes, reason: str, at: int
) -> tuple[Expired, Registration]:
    """End the subscription of a registration that has one, at ``at`` (ms) or later.

    The times of a URL's facts never go back, whoever's clock they are from.
    """
    known = registrations[key]
    assert known.subscription is not None, "only a subscription can expire"
    at = max(at, registrations.latest)
    after = replace(known, subscription=None, at=at)
    resulting = registrations.resulting(key, after)
    gone = known.subscription
    return Expired(gone.id, gone.manager, reason, gone.url, resulting, at), after


def reject(request_id: str, refusal: Refusal, url: str, result: Watch | None, at: int) -> Rejected:
    """Refuse a request; ``result`` is the watch that stays."""
    return Rejected(request_id, refusal.code, refusal.detail, url, result, at)


def is_applied(known: Registration, origin: Origin) -> bool:
    """Whether this very message was decided before; its fact was published then."""
    return any(
        applied.partition == origin.partition and origin.offset <= applied.offset
        for applied in known.applied
    )


def _earlier_answer(known: Registration, request: ClientRequest) -> RequestAnswer | None:
    """The answer to the same request; a Cancel with the id of a Subscribe is another one."""
    name = request.request_id, type(request).__name__
    return next((a for a in known.answers if (a.request_id, a.action) == name), None)


def _answer(case: RequestCase, known: Registration) -> RequestAnswer:
    request, target, current = case.request, case.target, known.subscription
    request_id = request.request_id or ""
    name = request_id, type(request).__name__
    if not isinstance(request, Subscribe):
        code = 0 if current else NO_SUCH_SUBSCRIPTION
        return RequestAnswer(*name, code, current.id if current else "")
    if current is not None:
        return RequestAnswer(*name, 0 if request.replace else CONFLICT, current.id)
    who = target.receiver.client_url, target.receiver.session
    return RequestAnswer(*name, 0, content_id(target.manager, target.url, *who, request_id))


def _resulting(case: RequestCase, answer: RequestAnswer) -> Subscription | None:
    """The subscription that there is once a request was granted."""
    if isinstance(case.request, Cancel):
        return None
    known = case.registrations.get(case.key, NOTHING).subscription
    if not isinstance(case.request, Subscribe):
        return known and _adjusted(known, case)
    begun = case.registrations.watch()
    return Subscription(
        id=answer.subscription,
        watch=begun.id if begun else answer.subscription,
        manager=case.target.manager,
        document_url=case.request.document_url,
        url=case.target.url,
        receiver=case.target.receiver,
        keywords=case.keywords,
        options=case.request.options,
        created=known.created if known else case.at,
        rotation=known.rotation if known else 0,
        rotated=known.rotated if known else 0,
        paused=known.paused if known else False,
    )


def _adjusted(known: Subscription, case: RequestCase) -> Subscription:
    match case.request:
        case Rotate():
            return replace(known, rotation=known.rotation + 1, rotated=case.at)
        case Pause() | Resume():
            return replace(known, paused=isinstance(case.request, Pause))
    return known


def _told(case: RequestCase, subscription: Subscription | None) -> Notification | None:
    if subscription is None or not isinstance(case.request, Test):
        return None
    return notification_of_test(subscription, case.request.request_id or "", case.at)


def _remember(known: Registration, origin: Origin, answer: RequestAnswer) -> Registration:
    others = tuple(a for a in known.applied if a.partition != origin.partition)
    applied = (*others, Applied(origin.partition, origin.offset))
    name = answer.request_id, answer.action
    earlier = tuple(a for a in known.answers if (a.request_id, a.action) != name)
    return replace(known, applied=applied, answers=(*earlier, answer)[-ANSWERS:])


def _fact(case: RequestCase, answer: RequestAnswer, after: Registration) -> SubscriptionFact:
    at, url = case.at, case.target.url
    result = case.registrations.resulting(case.key, after)
    if answer.code:
        return reject(answer.request_id, Refusal(answer.code), url, result, at)
    if isinstance(case.request, Cancel):
        manager = case.target.manager
        return Cancelled(answer.request_id, answer.subscription, manager, url, result, at)
    granted = after.subscription
    if granted is None or granted.id != answer.subscription:  # repeated after it had ended
        granted = _resulting(case, answer) if isinstance(case.request, Subscribe) else None
    if granted is None:
        return reject(answer.request_id, Refusal(NO_SUCH_SUBSCRIPTION), url, result, at)
    return Subscribed(answer.request_id, granted, url, result, at)
