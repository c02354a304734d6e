"""The register's decisions: who is subscribed to a document, and which watch results.

One writer per URL. A request that was decided once stays decided: each registration keeps
the offset and time of the last request applied to it, so that a replay changes nothing, and
its last answers, so that a repeated request gets the answer it got before.
"""

from dataclasses import dataclass, replace

from schemas.codes import Code
from schemas.notifications import Notification
from schemas.requests import (
    Cancel,
    ClientRequest,
    Pause,
    Resume,
    Rotate,
    Subscribe,
    SubscriptionRequest,
    Test,
)
from schemas.state import Applied, Registration, RequestAnswer
from schemas.subscription_facts import Cancelled, Expired, Rejected, Subscribed, SubscriptionFact
from schemas.subscriptions import Subscription
from schemas.watches import Watch
from streams.core.ids import content_id
from streams.core.matching.notifications import notification_of_test
from streams.core.register.registrations import NOTHING, Registrations
from streams.core.register.requests import Refusal, Target
from streams.core.register.view_uses import MAX_OWN
from streams.core.views import watched_view

MAX_ANSWERS = 32
"""Answers that a registration remembers."""


@dataclass(frozen=True, slots=True)
class Origin:
    """Where a request was first read; ``timestamp`` in epoch ms."""

    partition: int
    offset: int
    timestamp: int


@dataclass(frozen=True, slots=True)
class RequestCase:
    """A request to decide, with its request id set, and all that bears on it.

    ``keywords`` are the valid ones of a Subscribe; ``registrations`` are all of its URL, by
    ``row_key``.
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

    @property
    def known(self) -> Registration:
        """What is registered before the request."""
        return self.registrations.get(self.key, NOTHING)


@dataclass(frozen=True, slots=True)
class Decision:
    """The result of a request: a fact, a row and a notification; None for what there is not."""

    fact: SubscriptionFact | None
    put: tuple[bytes, Registration] | None = None
    notification: Notification | None = None


def row_key(target: Target) -> bytes:
    """Return the table key of a registration: its URL, then manager and receiver.

    The URL comes first so that all registrations of a document are found together.
    """
    receiver = target.receiver
    who = content_id(target.manager, receiver.client_url, receiver.session)
    return f"{target.url}\0{who}".encode()


def decide(case: RequestCase) -> Decision:
    """Decide a request that passed its checks, on all registrations of its URL."""
    if is_applied(case.known, case.origin):
        return Decision(None)  # a replay: its fact was published then
    answer = _earlier_answer(case)
    subscription, notification = case.known.subscription, None
    if answer is None:
        answer = _answer(case)
        if answer.code == Code.OK:
            subscription = _granted(case, answer)
            notification = _test_notification(case, subscription)
    changed = replace(case.known, subscription=subscription, at=case.at)
    after = _remember(changed, case.origin, answer)
    return Decision(_fact(case, answer, after), (case.key, after), notification)


def expire(
    registrations: Registrations, key: bytes, reason: str, at: int
) -> tuple[Expired, Registration]:
    """End the subscription of a registration that has one, at ``at`` (epoch ms) or later.

    The times of a URL's facts never go back, whichever machine's clock they come from.
    """
    ended = registrations[key].subscription
    assert ended is not None, "only a subscription can expire"
    at = max(at, registrations.latest)
    after = replace(registrations[key], subscription=None, at=at)
    fact = Expired(
        subscription=ended.id,
        manager=ended.manager,
        reason=reason,
        url=ended.url,
        watch=registrations.resulting(key, after),
        at=at,
    )
    return fact, after


def reject(
    request: SubscriptionRequest, refusal: Refusal, url: str, watch: Watch | None, at: int
) -> Rejected:
    """Refuse a request; ``watch`` is the one that stays."""
    return Rejected(
        request_id=request.request_id or "",
        manager=request.manager,
        code=refusal.code,
        detail=refusal.detail,
        url=url,
        watch=watch,
        at=at,
    )


def is_applied(known: Registration, origin: Origin) -> bool:
    """Return whether this very message was decided before."""
    last = _last_applied(known, origin)
    return last is not None and origin.offset <= last.offset and origin.timestamp <= last.timestamp


def reused(known: Registration, origin: Origin) -> Applied | None:
    """Return what was applied of a log that used the offset before; None for a new offset."""
    last = _last_applied(known, origin)
    return last if last is not None and _is_later(origin, last) else None


def _is_later(origin: Origin, last: Applied) -> bool:
    """Return whether a message is later than one whose offset is not before its own."""
    return origin.offset <= last.offset and origin.timestamp > last.timestamp


def _last_applied(known: Registration, origin: Origin) -> Applied | None:
    """Return the last decided request that was read where this one was."""
    return next((each for each in known.applied if each.partition == origin.partition), None)


def _earlier_answer(case: RequestCase) -> RequestAnswer | None:
    """Return the answer that the same request got, unless it is to be decided again."""
    answer = _noted_answer(case)
    return None if answer is not None and _has_lapsed(case, answer) else answer


def _noted_answer(case: RequestCase) -> RequestAnswer | None:
    """Return the last answer to a request with this id.

    A client may use one id for several kinds of requests, such as a Subscribe and its Cancel.
    """
    request_id, action = case.request.request_id, type(case.request).__name__
    for answer in case.known.answers:
        if (answer.request_id, answer.action) == (request_id, action):
            return answer
    return None


def _has_lapsed(case: RequestCase, answer: RequestAnswer) -> bool:
    """Return whether a lease that this request was granted has ended, and by no Cancel.

    A client renews a lease with the same request: the first answer would say that it has what
    has ended.
    """
    request, current = case.request, case.known.subscription
    if not isinstance(request, Subscribe) or request.options.lease is None:
        return False
    if answer.code != Code.OK or (current is not None and current.id == answer.subscription):
        return False
    cancelled = Cancel.__name__, answer.subscription
    return cancelled not in ((each.action, each.subscription) for each in case.known.answers)


def _answer(case: RequestCase) -> RequestAnswer:
    """Answer a request for the first time."""
    request, current = case.request, case.known.subscription
    code = Code.OK
    if not isinstance(request, Subscribe):
        subscription = "" if current is None else current.id
        if current is None:
            code = Code.NO_SUCH_SUBSCRIPTION
    elif current is not None and not (request.replace or _is_repeated(case, request, current)):
        subscription, code = current.id, Code.CONFLICT
    else:
        subscription = _new_id(case) if current is None else current.id
        view = watched_view(request.options).id
        if not case.registrations.views.has_room(case.target.manager, view, current):
            code = Code.QUOTA
    return RequestAnswer(
        request_id=request.request_id or "",
        action=type(request).__name__,
        code=code,
        subscription=subscription,
    )


def _is_repeated(case: RequestCase, request: Subscribe, current: Subscription) -> bool:
    """Return whether a client asks again for what it has.

    A program does so when it restarts, and whoever has a lease to renew it.
    """
    asked = request.document_url, case.keywords, request.options
    has = current.document_url, current.keywords, current.options
    may_repeat = current.receiver.session is not None or request.options.lease is not None
    return may_repeat and asked == has


def _new_id(case: RequestCase) -> str:
    """Return the id of a subscription that begins now; none that has ended has the same."""
    target, receiver, lapsed = case.target, case.target.receiver, _noted_answer(case)
    who = target.manager, target.url, receiver.client_url, receiver.session
    begins = (case.request.request_id or "") if lapsed is None else lapsed.subscription
    return content_id(*who, begins)


def _granted(case: RequestCase, answer: RequestAnswer) -> Subscription | None:
    """Return the subscription after a request that was granted, None after a Cancel."""
    known = case.known.subscription
    match case.request:
        case Cancel():
            return None
        case Subscribe():
            return _subscription(case, case.request, answer)
        case Rotate() if known is not None:
            return replace(known, rotation=known.rotation + 1, rotated=case.at)
        case Pause() | Resume() if known is not None:
            return replace(known, paused=isinstance(case.request, Pause))
    return known


def _subscription(case: RequestCase, request: Subscribe, answer: RequestAnswer) -> Subscription:
    """Return the subscription that was asked for; a replaced one keeps its age and its secret."""
    known, watch = case.known.subscription, case.registrations.watch()
    begun = Subscription(
        id=answer.subscription,
        watch=answer.subscription if watch is None else watch.id,
        manager=case.target.manager,
        document_url=request.document_url,
        url=case.target.url,
        receiver=case.target.receiver,
        keywords=case.keywords,
        options=request.options,
        created=case.at,
        view=watched_view(request.options).id,
    )
    if known is None:
        return begun
    return replace(
        begun,
        created=known.created,
        rotation=known.rotation,
        rotated=known.rotated,
        paused=known.paused,
    )


def _test_notification(case: RequestCase, subscription: Subscription | None) -> Notification | None:
    if subscription is None or not isinstance(case.request, Test):
        return None
    return notification_of_test(subscription, case.request.request_id or "", case.at)


def _refusal(code: Code, url: str) -> Refusal:
    if code is not Code.QUOTA:
        return Refusal(code)
    detail = (
        f"documentContentType, onStatus: {url} is already read in as many different ways as are "
        f"allowed ({MAX_OWN} for one manager). Use one of them, or cancel a subscription first."
    )
    return Refusal(code, detail)


def _remember(known: Registration, origin: Origin, answer: RequestAnswer) -> Registration:
    """Note in a registration that a request was decided, and how."""
    last = _last_applied(known, origin)
    # The clocks of two brokers differ: a time that went back would make a replay look new.
    latest = origin.timestamp if last is None else max(last.timestamp, origin.timestamp)
    applied = Applied(partition=origin.partition, offset=origin.offset, timestamp=latest)
    others = tuple(each for each in known.applied if each.partition != origin.partition)
    name = answer.request_id, answer.action
    earlier = tuple(each for each in known.answers if (each.request_id, each.action) != name)
    answers = (*earlier, answer)[-MAX_ANSWERS:]
    return replace(known, applied=(*others, applied), answers=answers)


def _fact(case: RequestCase, answer: RequestAnswer, after: Registration) -> SubscriptionFact:
    """Return the fact that gives an answer, with the watch that results."""
    request_id, url, at = answer.request_id, case.target.url, case.at
    watch = case.registrations.resulting(case.key, after)
    if answer.code != Code.OK:
        return reject(case.request, _refusal(Code(answer.code), url), url, watch, at)
    if isinstance(case.request, Cancel):
        return Cancelled(
            request_id=request_id,
            subscription=answer.subscription,
            manager=case.target.manager,
            url=url,
            watch=watch,
            at=at,
        )
    granted = after.subscription
    if granted is None or granted.id != answer.subscription:
        # Repeated after the subscription ended: a Subscribe gets its first answer again.
        is_subscribe = isinstance(case.request, Subscribe)
        granted = _granted(case, answer) if is_subscribe else None
    if granted is None:
        return reject(case.request, Refusal(Code.NO_SUCH_SUBSCRIPTION), url, watch, at)
    return Subscribed(request_id=request_id, subscription=granted, url=url, watch=watch, at=at)
