"""Grant requests: change a subscription as asked, or command a backfill."""

from dataclasses import replace

from schemas.codec.times import epoch_ms
from schemas.records.backfills import BackfillGranted
from schemas.records.codes import Code
from schemas.records.pages import is_pages
from schemas.records.requests import (
    MAX_BACKFILLED,
    Backfill,
    Cancel,
    Pause,
    Rename,
    Resume,
    Rotate,
    Subscribe,
)
from schemas.records.subscriptions import EarlierView, Subscription
from schemas.records.table_rows import Registration, RequestAnswer
from streams.agents.match.register.cases import RequestCase, noted_answer
from streams.agents.match.register.registrations import shared_options
from streams.values.ids import content_id
from streams.values.lifetimes import kept, paused, resumed, stopped
from streams.values.slots import newest_slot, next_slot
from streams.values.views import watched_view

MAX_EARLIER_VIEWS = 8
"""The most earlier views of a subscription remembered, so its earlier changes stay listed."""


def granted_subscription(case: RequestCase, answer: RequestAnswer) -> Subscription | None:
    """Return the subscription after a granted request, None at its end."""
    known = case.known.subscription
    match case.request:
        case Cancel(undo=False):
            return None
        case Subscribe():
            return _subscription(case, case.request, answer)
    return None if known is None else _changed(known, case)


def _changed(known: Subscription, case: RequestCase) -> Subscription:
    at = case.origin.timestamp
    match case.request:
        case Rotate():
            return replace(known, rotation=known.rotation + 1, rotated=case.at)
        case Cancel():
            return stopped(known, at)
        case Pause():
            return paused(known, at)
        case Resume():
            return kept(known, at) if known.stopped else resumed(known, at)
        case Rename(new_name=name):
            return replace(known, name=name or "")
    return known


def asked_at(time: int, created: int) -> int:
    """Return the noted time of a subscription's request: 0 if the same as its creation.

    The creation is later if another clock was ahead: the times of a URL's facts never go back.
    """
    return 0 if time == created else time


def new_id(case: RequestCase) -> str:
    """Return the id of a subscription begun now; no other has the same."""
    target, receiver, lapsed = case.target, case.target.receiver, noted_answer(case)
    who = target.manager, target.url, receiver.client_url, receiver.session
    named = (target.name,) if target.name else ()  # an earlier release knew no names
    begins = (case.request.request_id or "") if lapsed is None else lapsed.subscription
    found = content_id(*who, begins, *named)
    # One that has been renamed since may have begun with the same request id.
    return found if case.key_of(found) is None else content_id(found, case.origin.timestamp)


def _subscription(case: RequestCase, request: Subscribe, answer: RequestAnswer) -> Subscription:
    """Return the requested subscription; a replaced subscription keeps its age and its secret."""
    known, watch = case.known.subscription, case.registrations.watch()
    new_watch = "" if is_pages(case.target.url) else answer.subscription
    options, url = shared_options(request.options), case.target.url
    asked = case.registrations.links_asked(known, options.crawl, case.at) if options.crawl else 0
    begun = Subscription(
        id=answer.subscription,
        watch=new_watch if watch is None else watch.id,
        manager=case.target.manager,
        document_url=url if request.document_url == url else request.document_url,
        url=url,
        receiver=case.target.receiver,
        keywords=case.keywords,
        options=options,
        created=case.at,
        view_id=watched_view(options, case.target.manager).id,
        links_since=asked,
        asked=asked_at(case.origin.timestamp, case.at),
        name=case.target.name,
    )
    if known is None:
        return begun
    if known.stopped:
        known = kept(known, case.origin.timestamp)
    views = known.earlier_views
    if known.view_id != begun.view_id:
        views = (*views, EarlierView(known.view_id, case.at))[-MAX_EARLIER_VIEWS:]
    return replace(
        begun,
        created=known.created,
        earlier_views=views,
        rotation=known.rotation,
        rotated=known.rotated,
        paused=known.paused,
        asked=known.asked,
        pauses=known.pauses,
    )


def check_time(case: RequestCase) -> int:
    """Return the time of a page's visit (epoch ms) requested for now.

    A visit is ``min_interval`` apart from others: from its slots, and from requested visits. A
    visit shortly before a slot is made at the slot.
    """
    url, watch, known = case.target.url, case.registrations.watch(), case.known.subscription
    checked, apart = case.registrations.check, case.min_interval * 1000
    assert watch is not None, "only what is watched is checked"
    assert known is not None, "only a subscription can be checked"
    if checked > case.at:
        return checked
    latest = max(newest_slot(url, watch.interval, case.at), checked, known.created)
    check = max(case.at, latest + apart)
    following = next_slot(url, watch.interval, check)
    return following if following - check < apart else check


def granted_backfill(case: RequestCase, kept: Subscription) -> BackfillGranted | None:
    """Return the further messages of a Backfill, or of an undone stop; None without any.

    Visits for other subscriptions may have found changes since the stop.
    """
    request, until = case.request, case.at
    if isinstance(request, Backfill):
        since, limit = max(0, epoch_ms(request.since)) if request.since else 0, request.limit
        if request.until:  # changes after the request are left to match
            until = max(0, min(epoch_ms(request.until), until))
    else:
        known = case.known.subscription
        if known is None or not known.stopped or known.stays_paused:
            return None
        since, limit = known.stopped, MAX_BACKFILLED
    return BackfillGranted(
        request_id=request.request_id or "",
        subscription=kept,
        since=since,
        until=until,
        limit=limit,
    )


def asked_for_backfill(known: Registration, subscription: str) -> bool:
    """Return whether a backfill was lately granted to a subscription, by its id."""
    return any(each.subscription == subscription for each in backfills_granted(known))


def backfills_granted(known: Registration) -> tuple[RequestAnswer, ...]:
    """Return the answers of a registration by which a backfill was granted."""
    granted = Backfill.__name__, Code.OK
    return tuple(each for each in known.answers if (each.action, each.code) == granted)
