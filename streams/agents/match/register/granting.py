"""What a request that is granted makes of a subscription."""

from dataclasses import replace

from schemas.records.pages import is_pages
from schemas.records.requests import Cancel, Pause, Resume, Rotate, Subscribe
from schemas.records.subscriptions import EarlierView, Subscription
from schemas.records.table_rows import RequestAnswer
from streams.agents.match.register.answers import noted_answer
from streams.agents.match.register.cases import RequestCase
from streams.agents.match.register.interning import shared_options
from streams.values.ids import content_id
from streams.values.views import watched_view

MAX_EARLIER_VIEWS = 8
"""Views of a subscription that are remembered, so that its earlier changes stay listed."""


def granted_subscription(case: RequestCase, answer: RequestAnswer) -> Subscription | None:
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


def _earlier_views(known: Subscription, view: str, at: int) -> tuple[EarlierView, ...]:
    """Return the views that a subscription had before its new one; the oldest are forgotten."""
    if known.view_id == view:
        return known.earlier_views
    return (*known.earlier_views, EarlierView(known.view_id, at))[-MAX_EARLIER_VIEWS:]


def _links_since(case: RequestCase, request: Subscribe) -> int:
    """Return since when a crawl has asked for the links of its document, 0 without a crawl."""
    known = case.known.subscription
    if request.options.crawl is None:
        return 0
    is_same = known is not None and known.options.crawl == request.options.crawl
    if known is not None and is_same:
        return known.links_since
    return case.registrations.links_asked(case.at)


def new_id(case: RequestCase) -> str:
    """Return the id of a subscription that begins now; none that has ended has the same."""
    target, receiver, lapsed = case.target, case.target.receiver, noted_answer(case)
    who = target.manager, target.url, receiver.client_url, receiver.session
    begins = (case.request.request_id or "") if lapsed is None else lapsed.subscription
    return content_id(*who, begins)


def _subscription(case: RequestCase, request: Subscribe, answer: RequestAnswer) -> Subscription:
    """Return the subscription that was asked for; a replaced one keeps its age and its secret."""
    known, watch = case.known.subscription, case.registrations.watch()
    new_watch = "" if is_pages(case.target.url) else answer.subscription
    options, url = shared_options(request.options), case.target.url
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
        links_since=_links_since(case, request),
    )
    if known is None:
        return begun
    return replace(
        begun,
        created=known.created,
        earlier_views=_earlier_views(known, begun.view_id, case.at),
        rotation=known.rotation,
        rotated=known.rotated,
        paused=known.paused,
    )
