"""The register's decisions: who is subscribed to a document, and which watch results.

A single writer per URL. A decided request stays decided.
"""

from dataclasses import dataclass, replace

from schemas.records.backfills import BackfillGranted
from schemas.records.codes import Code
from schemas.records.faults import Refusal
from schemas.records.notifications import Notification
from schemas.records.requests import (
    Backfill,
    Cancel,
    Check,
    Rename,
    Resume,
    Subscribe,
    SubscriptionRequest,
    Test,
)
from schemas.records.subscription_facts import (
    Cancelled,
    Expired,
    Rejected,
    Subscribed,
    SubscriptionFact,
)
from schemas.records.subscriptions import Subscription
from schemas.records.table_rows import Ending, Registration, RequestAnswer
from schemas.records.watches import Watch
from streams.agents.match.register.cases import (
    MAX_ANSWERS,
    RequestCase,
    earlier_answer,
    last_applied,
    remember_answer,
)
from streams.agents.match.register.counts import MAX_PATIENCES, MAX_ROWS
from streams.agents.match.register.granting import (
    backfills_granted,
    check_time,
    granted_backfill,
    granted_subscription,
    new_id,
)
from streams.agents.match.register.registrations import NOTHING, Registrations, remembered_ends
from streams.agents.match.register.watch_uses import MAX_OWN, MAX_SIZE
from streams.matching.notifications import notification_of_test
from streams.values.views import watched_view


@dataclass(frozen=True, slots=True)
class Decision:
    """The result of a request: a fact, a row, and further messages; None for missing parts.

    ``left`` is the former row of a renamed subscription.
    """

    fact: SubscriptionFact | None
    put: tuple[bytes, Registration] | None = None
    notification: Notification | None = None
    backfill: BackfillGranted | None = None
    left: tuple[bytes, Registration] | None = None

    @property
    def rows(self) -> tuple[tuple[bytes, Registration], ...]:
        """All rows; a renamed subscription comes first, so is never without a row."""
        return tuple(row for row in (self.put, self.left) if row is not None)


def decide(case: RequestCase) -> Decision:
    """Decide a request after its checks, on all registrations of its URL."""
    last, origin = last_applied(case), case.origin
    if last and origin.offset <= last.offset and origin.timestamp <= last.timestamp:
        return Decision(None)  # this very message was decided before, and its fact published
    answer = earlier_answer(case)
    subscription, notification, backfill = case.known.subscription, None, None
    check = case.known.check
    if answer is None:
        answer = _answer(case)
        if answer.code == Code.OK:
            subscription = granted_subscription(case, answer)
            match case.request:
                case Test(request_id=name) if subscription is not None:
                    notification = notification_of_test(subscription, name or "", case.at)
                case Check():
                    check = check_time(case)
                case Backfill() | Subscribe() | Resume() if subscription is not None:
                    backfill = granted_backfill(case, subscription)
    changed = case.known.changed if subscription == case.known.subscription else case.at
    gone = case.known.subscription if subscription is None else None
    ended = remembered_ends(case.known, gone, origin.timestamp)
    decided = replace(
        case.known,
        subscription=subscription,
        at=case.at,
        changed=changed,
        ended=ended,
        check=check,
        manager="" if subscription is not None else case.target.manager,
    )
    after = remember_answer(decided, case, answer)
    fact = _fact(case, answer, after)
    if subscription is not None and subscription.name != case.target.name:
        return _moved(case, fact, after)
    return Decision(fact, (case.target.key, after), notification, backfill)


def expire(
    registrations: Registrations, key: bytes, reason: str, at: int
) -> tuple[Expired, Registration]:
    """End the subscription of a registration, if any, at ``at`` (epoch ms) or later.

    The times of a URL's facts never go back, whichever machine's clock they come from.
    """
    ended, after, watch = _ended(registrations, key, at)
    return _expired(ended, reason, watch, after.at), after


def end_by_time(
    registrations: Registrations, key: bytes, at: int
) -> tuple[Cancelled | Expired, Registration]:
    """End a subscription stopped before a time, or without renewal; ``at`` is as in ``expire``."""
    known, after, watch = _ended(registrations, key, at)
    after = replace(after, ended=remembered_ends(after, known, at))
    if known.stopped:
        return Cancelled("", known.id, known.manager, known.url, watch, after.at), after
    reason = f"it was not asked for again within {known.options.lease} s"
    return _expired(known, reason, watch, after.at), after


def end_by_change(registrations: Registrations, key: bytes, change: str, at: int) -> Registration:
    """End the subscription of a registration by a change, by its id; ``publish_end`` follows.

    ``at`` is as in ``expire``.
    """
    known, after, _ = _ended(registrations, key, at)
    return replace(after, ending=Ending(change, known))


def publish_end(registrations: Registrations, key: bytes, reason: str, at: int) -> Decision:
    """Publish the end of a subscription by a change; ``at`` is as in ``expire``."""
    known = registrations[key]
    assert known.ending is not None, "the end is published already"
    at = max(at, registrations.latest)
    fact = _expired(known.ending.subscription, reason, registrations.watch(), at)
    return Decision(fact, (key, replace(known, ending=None)))


def reject(
    request: SubscriptionRequest, refusal: Refusal, url: str, watch: Watch | None, at: int
) -> Rejected:
    """Refuse a request; ``watch`` is the remaining watch."""
    return Rejected(
        request_id=request.request_id or "",
        manager=request.manager,
        code=refusal.code,
        detail=refusal.detail,
        url=url,
        watch=watch,
        at=at,
        faults=refusal.faults,
    )


def _ended(
    registrations: Registrations, key: bytes, at: int
) -> tuple[Subscription, Registration, Watch | None]:
    """Return a subscription that ends, its registration after that, and the resulting watch."""
    known = registrations[key]
    assert known.subscription is not None, "only a subscription can end"
    at, manager = max(at, registrations.latest), known.subscription.manager
    after = replace(known, subscription=None, at=at, manager=manager)
    return known.subscription, after, registrations.resulting(key, after)


def _expired(ended: Subscription, reason: str, watch: Watch | None, at: int) -> Expired:
    return Expired(
        subscription=ended.id,
        manager=ended.manager,
        reason=reason,
        url=ended.url,
        watch=watch,
        at=at,
    )


def _moved(case: RequestCase, fact: SubscriptionFact, renamed: Registration) -> Decision:
    """Move a renamed subscription to the row of its new name; the old row keeps its answers."""
    there = case.registrations.get(case.new_key, NOTHING)
    put = replace(
        there,
        subscription=renamed.subscription,
        answers=(*there.answers, *backfills_granted(renamed))[-MAX_ANSWERS:],
        at=case.at,
        changed=case.at,
        notices=renamed.notices,
        manager="",
    )
    left = replace(renamed, subscription=None, notices=None, manager=case.target.manager)
    return Decision(fact, (case.new_key, put), left=(case.target.key, left))


def _answer(case: RequestCase) -> RequestAnswer:
    """Answer a request for the first time."""
    request, current = case.request, case.known.subscription
    code = Code.OK
    if not isinstance(request, Subscribe):
        subscription = "" if current is None else current.id
        there = case.registrations.get(case.new_key, NOTHING).subscription
        if current is None:
            code = Code.NO_SUCH_SUBSCRIPTION
        elif there is not None and there.id != current.id:
            subscription, code = there.id, Code.CONFLICT
        elif isinstance(request, Check) and current.paused:
            code = Code.PAUSED
    elif current is not None and not _may_replace(case, request, current):
        subscription, code = current.id, Code.CONFLICT
    else:
        subscription = new_id(case) if current is None else current.id
        view = watched_view(request.options, case.target.manager)
        views, manager = case.registrations.counted.views, case.target.manager
        has_room = views.has_room(manager, view, current)
        if not (has_room and views.patiences.has_room(manager, view.id, request.options, current)):
            code = Code.QUOTA
    return RequestAnswer(
        request_id=request.request_id or "",
        action=type(request).__name__,
        code=code,
        subscription=subscription,
    )


def _may_replace(case: RequestCase, request: Subscribe, current: Subscription) -> bool:
    """Return whether a client may ask for an existing subscription.

    A program asks again at a restart, or to renew a lease; what was stopped goes on.
    """
    if request.replace or current.stopped:
        return True
    asked = request.document_url, case.keywords, request.options
    has = current.document_url, current.keywords, current.options
    may_repeat = current.receiver.session is not None or request.options.lease is not None
    return may_repeat and asked == has


def _refusal(code: Code, case: RequestCase, subscription: str) -> Refusal:
    url = case.target.url
    if code is Code.CONFLICT:
        return Refusal(code, _conflict(case, subscription))
    if code is not Code.QUOTA:
        return Refusal(code)
    detail = (
        f"documentContentType, onStatus, view, patience: {url} is already read in as many "
        f"different ways as are allowed ({MAX_OWN} for one manager, and {MAX_SIZE:,} bytes of all "
        f"views), or waited for with {MAX_PATIENCES} different patiences ({MAX_ROWS} of all "
        "managers and views). Use one of them, or cancel a subscription first."
    )
    return Refusal(code, detail)


def _conflict(case: RequestCase, subscription: str) -> str:
    name = case.target.name
    if isinstance(case.request, Rename):
        name = case.request.new_name or ""
        way_out = "Choose another name, or cancel that one first."
    else:
        way_out = "Replace it (replace), or give this one another name."
    there = f"{subscription} is this receiver's subscription of {case.target.url}"
    return f"{there}{f' named {name!r}' if name else ', without a name'}. {way_out}"


def _fact(case: RequestCase, answer: RequestAnswer, after: Registration) -> SubscriptionFact:
    """Return the fact for an answer, with the resulting watch."""
    request_id, url, at = answer.request_id, case.target.url, case.at
    watch = case.registrations.resulting(case.target.key, after)
    if answer.code != Code.OK:
        refusal = _refusal(Code(answer.code), case, answer.subscription)
        refused = reject(case.request, refusal, url, watch, at)
        return replace(refused, subscription=answer.subscription)
    granted = after.subscription
    if granted is None or granted.id != answer.subscription:
        # Repeated after it was renamed, or ended: a Subscribe gets its first answer again.
        granted = case.by_id(answer.subscription)
    if isinstance(case.request, Cancel) and (granted is None or not case.request.undo):
        return Cancelled(
            request_id=request_id,
            subscription=answer.subscription,
            manager=case.target.manager,
            url=url,
            watch=watch,
            at=at,
        )
    if granted is None and isinstance(case.request, Subscribe):
        granted = granted_subscription(case, answer)
    if granted is None:
        return reject(case.request, Refusal(Code.NO_SUCH_SUBSCRIPTION), url, watch, at)
    check = after.check if isinstance(case.request, Check) else 0
    return Subscribed(request_id, granted, url, watch, at, check)
